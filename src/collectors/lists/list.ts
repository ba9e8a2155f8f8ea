// The lists of mined transactions that the API returns, as the ledger reads them.
import { ApiError } from "../../api/errors.ts";
import { byPosition, type Page, type Position, type Row } from "../../ledger/ledger.ts";
import type { List } from "../../ledger/read.ts";
import type { List as ApiList, Page as ApiPage } from "../feed/read.ts";

// Every transaction since Nakamoto is in this microblock, which a cursor has to name.
const MICROBLOCK = 2_147_483_647;
// The greatest index that the server accepts.
const MAX_INDEX = 32_767;

/** The position that a cursor names; undefined if it has another form. */
function positionOf(cursor: string | undefined): Position | undefined {
  const [, height, index] = /^(\d+):\d+:(\d+)$/.exec(cursor ?? "") ?? [];
  return height === undefined ? undefined : { height: Number(height), index: Number(index) };
}

const cursorAt = ({ height, index }: Position): string =>
  `${Math.max(0, height)}:${MICROBLOCK}:${Math.min(Math.max(0, index), MAX_INDEX)}`;

/** A list of an operation, with its offsets or cursors. */
export function ledgerList<Of extends Row>(list: ApiList<Of>): List<Of> {
  const toPage = ({ rows, total, older, newer, isLast, etag }: ApiPage<Of>, offset: number | undefined): Page<Of> => ({
    rows,
    next: positionOf(older),
    newer,
    offset,
    total,
    isTop: offset === 0,
    isLast,
    etag,
  });
  const at = async (offset: number, cursor: string | undefined) => (await list.page(offset, cursor)) as ApiPage<Of>;
  return {
    operation: list.operation,
    async newest(etag) {
      const page = etag === undefined ? await at(0, undefined) : await list.changedSince(etag);
      return page && toPage(page, 0);
    },
    ...(list.hasCursors
      ? {
          async atCursor(cursor: string | Position) {
            const text = typeof cursor === "string" ? cursor : cursorAt(cursor);
            const page = toPage(await at(0, text), undefined);
            const [first, position] = [page.rows[0], positionOf(text)];
            const isAbove = first !== undefined && position !== undefined && byPosition(first, position) > 0;
            if (isAbove) throw new ApiError("bad_body", list.operation, "a page begins above its cursor");
            return page;
          },
        }
      : { atOffset: async (offset: number) => toPage(await at(offset, undefined), offset) }),
  };
}
