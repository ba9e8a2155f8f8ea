// A list with cursors, as the v3 operations return it.
import { ApiError } from "../../api/errors.ts";
import type { Operation, Parameters, StacksApi, Validated } from "../../api/operation.ts";
import type { List, Page } from "./newest-rows.ts";

/** A page as such an operation returns it. */
interface CursorBody<Result> {
  readonly cursor: { readonly next: string | null };
  readonly results: readonly Result[];
}

/** Maps a page to rows. */
interface Rows<Result, Item> {
  /** Maximum number of rows on one page. */
  readonly limit: number;
  readonly toRow: (result: Result) => Item;
  /** Whether a page is the one that the cursor names, by its first row. @default always */
  readonly isPageAt?: (cursor: string, first: Item | undefined) => boolean;
}

/** The list that an operation returns, newest first. */
export function cursorList<const Path extends string, Result, Item extends { readonly id: string }>(
  api: StacksApi,
  operation: Operation<Path, CursorBody<Result>>,
  path: Parameters<Path>["path"],
  { limit, toRow, isPageAt = () => true }: Rows<Result, Item>,
): List<Item> {
  const toPage = ({ body, etag }: Validated<CursorBody<Result>>): Page<Item> => ({
    rows: body.results.map(toRow),
    older: body.cursor.next ?? undefined,
    etag,
  });
  return {
    operation: operation.name,
    async page(cursor) {
      if (cursor === undefined) return toPage(await api.getWhole(operation, { path, query: { limit } }));
      try {
        const page = toPage(await api.getWhole(operation, { path, query: { limit, cursor } }));
        return isPageAt(cursor, page.rows[0]) ? page : undefined;
      } catch (error) {
        // A reorganisation between two pages can remove the row that a cursor names.
        if (error instanceof ApiError && error.reason === "not_found") return undefined;
        throw error;
      }
    },
    async changedSince(etag) {
      const response = await api.getIfChanged(operation, { path, query: { limit } }, etag);
      return response && toPage(response);
    },
  };
}
