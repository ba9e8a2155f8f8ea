// The lists of mined transactions that the API returns, as the ledger reads them, and the time of their newest row.
import { ApiError, isShortage } from "../api/errors.ts";
import type { ApiResponse, Operation, Parameters, StacksApi } from "../api/operation.ts";
import { byPosition, type Page, type Position, type Row, type View } from "../ledger/ledger.ts";
import type { List } from "../ledger/read.ts";

interface OffsetBody<Result> {
  readonly total: number;
  /** Maximum number of rows on a page of this server; 0 if it is not known. */
  readonly limit: number;
  readonly results: readonly Result[];
}

interface CursorBody<Result> extends Pick<OffsetBody<Result>, "total" | "results"> {
  readonly cursor: { readonly next: string | null; readonly previous?: string | null | undefined };
}

/** How an operation is requested, and how its results become rows. */
interface Source<Path extends string, Result, Of> {
  readonly path: Parameters<Path>["path"];
  /** The query of the newest page. */
  readonly query: Readonly<Record<string, string | number | boolean>> & { readonly limit: number };
  /** Undefined for a result that is no row. */
  readonly toRow: (result: Result) => Of | undefined;
}

/** The microblock of a transaction that is in none, as every one since Nakamoto. A cursor has to name it. */
export const MICROBLOCK = 2_147_483_647;
/** The greatest index of a transaction that the server accepts. */
export const MAX_INDEX = 32_767;

/** The position that a cursor names; undefined if it has another form. */
function positionOf(cursor: string | null): Position | undefined {
  const [, height, index] = /^(\d+):\d+:(\d+)$/.exec(cursor ?? "") ?? [];
  return height === undefined ? undefined : { height: Number(height), index: Number(index) };
}

/** The cursor of the page that begins at a position, or at the newest row below it. */
export const cursorAt = ({ height, index }: Position): string =>
  `${Math.max(0, height)}:${MICROBLOCK}:${Math.min(Math.max(0, index), MAX_INDEX)}`;

/**
 * Reads pages: after one that is too large, smaller ones until the end of the poll. One row can take megabytes.
 * @param limit rows of the first page
 * @param least rows of the smallest page: without cursors, a page has to reach down to a known row
 */
export function shrinking(limit: number, least = 2) {
  let now = limit;
  return async function read<Result>(readPage: (limit: number) => Promise<Result>): Promise<Result> {
    try {
      return await readPage(now);
    } catch (error) {
      if (!(error instanceof ApiError) || error.reason !== "too_large" || now === least) throw error;
      now = Math.max(least, Math.ceil(now / 8));
      // Without a request for a smaller page, the reason stays that of the large one.
      return read(readPage).catch((later: unknown) => {
        throw isShortage(later) ? error : later;
      });
    }
  };
}

/** The list of an operation with offsets. */
export function offsetList<const Path extends string, Result, Of extends Row>(
  api: StacksApi,
  operation: Operation<Path, OffsetBody<Result>>,
  { path, query, toRow }: Source<Path, Result, Of>,
): List<Of> {
  const read = shrinking(query.limit);
  const toPage = ({ body, etag }: ApiResponse<OffsetBody<Result>>, limit: number, offset: number): Page<Of> => ({
    rows: body.results.flatMap((result) => toRow(result) ?? []),
    offset,
    total: body.total,
    isTop: offset === 0,
    isLast: body.results.length < Math.min(limit, body.limit || limit),
    etag,
  });
  return {
    operation,
    newest: (etag) =>
      read(async (limit) => {
        const response = await api.getIfChanged(operation, { path, query: { ...query, limit } }, etag);
        return response && toPage(response, limit, 0);
      }),
    atOffset: (offset) =>
      read(async (limit) => {
        return toPage(await api.get(operation, { path, query: { ...query, limit, offset } }), limit, offset);
      }),
  };
}

/** The list of an operation with cursors. */
export function cursorList<const Path extends string, Result, Of extends Row>(
  api: StacksApi,
  operation: Operation<Path, CursorBody<Result>>,
  { path, query, toRow }: Source<Path, Result, Of>,
): List<Of> {
  const read = shrinking(query.limit, 1);
  const toPage = ({ body, etag }: ApiResponse<CursorBody<Result>>, offset?: number): Page<Of> => ({
    rows: body.results.flatMap((result) => toRow(result) ?? []),
    next: positionOf(body.cursor.next),
    newer: body.cursor.previous ?? undefined,
    offset,
    total: body.total,
    isTop: offset === 0,
    isLast: body.cursor.next === null,
    etag,
  });
  return {
    operation,
    newest: (etag) =>
      read(async (limit) => {
        const response = await api.getIfChanged(operation, { path, query: { ...query, limit } }, etag);
        return response && toPage(response, 0);
      }),
    async atCursor(at) {
      const cursor = typeof at === "string" ? at : cursorAt(at);
      const page = toPage(await read((limit) => api.get(operation, { path, query: { ...query, limit, cursor } })));
      const [first, position] = [page.rows[0], positionOf(cursor)];
      const isAbove = first !== undefined && position !== undefined && byPosition(first, position) > 0;
      if (isAbove) throw new ApiError("bad_body", operation.name, "a page begins above its cursor");
      return page;
    },
  };
}

/** A block time, and the block, which a fork can replace. */
export interface LastTime extends Pick<Row, "height" | "hash"> {
  /** Unix time in seconds. */
  readonly value: number;
}

/** The newest time of rows in any order, or the known one; undefined if neither is known. */
export function lastTimeOf(
  before: LastTime | undefined,
  rows: readonly (Row & { readonly time: number | undefined })[],
  view: View,
): LastTime | undefined {
  let last = before !== undefined && view.isReplaced(before) !== true ? before : undefined;
  for (const { time: value, height, hash } of rows) {
    if (value !== undefined && height >= (last?.height ?? 0)) last = { value, height, hash };
  }
  return last;
}
