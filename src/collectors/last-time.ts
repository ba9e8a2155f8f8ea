// The block time of the newest row of a list, at any depth. Pure.
import type { Row, View } from "../ledger/ledger.ts";

/** A block time, and the block, which a fork can replace. */
export interface LastTime {
  /** Unix time in seconds. */
  readonly value: number;
  readonly height: number;
  readonly hash: string;
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
