import { expect, test } from "@jest/globals";
import { type Audit, audited, auditList } from "../../src/ledger/audit.ts";
import { BOTTOM, ledgerFrom, type Row } from "../../src/ledger/ledger.ts";

const MINUTE = 60_000;
const view = { tip: 30, depth: 28, start: 0, window: 24, isReplaced: () => false };
const row = (id: string, height: number): Row => ({ id, height, index: 0, hash: `b${height}` });
const [counted, listed] = [row("counted", 20), row("listed", 25)];
const ledger = { ...ledgerFrom(BOTTOM), recent: [counted, listed] };
const last = { height: 18, index: 0, at: 0, by: "a", isOpen: true };
const suspected: Audit = { last, suspects: [{ row: counted, at: 0, by: "a" }] };

test.each([
  ["the same server, within an hour", "a", 59 * MINUTE, []],
  ["the same server, an hour later", "a", 60 * MINUTE, ["counted"]],
  ["another server", "b", MINUTE, ["counted"]],
])("a row that two audits do not find is reverted: %s", (_, by, at, reverted) => {
  const input = { ledger, audit: suspected, view, source: { at, by }, before: BOTTOM };

  expect(audited([listed], BOTTOM, input).reverted.map(({ id }) => id)).toEqual(reverted);
});

test("the rows of a list without places are found, the known ones without a request", async () => {
  const asked: string[][] = [];
  const place = async (rows: readonly Row[]) => {
    asked.push(rows.map(({ id }) => id));
    return { rows: rows.map(({ id }) => row(id, 22)), isWhole: true };
  };
  const audit = (rows: readonly Row[]) => {
    const page = async () => ({ rows, isTop: true, isLast: true });
    const list = { operation: "list", newest: page, atCursor: page };
    const input = { ledger, audit: { ...suspected, suspects: [] }, view, source: { at: 0, by: "a" }, before: BOTTOM };
    return auditList(list, 10, { ...input, place });
  };
  const unplaced = (id: string) => ({ ...row(id, 28), hash: "" });

  expect((await audit([unplaced("listed"), unplaced("new"), unplaced("counted")])).counted).toEqual([row("new", 22)]);
  expect((await audit([unplaced("listed"), unplaced("counted")])).counted).toEqual([]);
  expect(asked).toEqual([["new"]]);
});
