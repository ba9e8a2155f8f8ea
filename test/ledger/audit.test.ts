import { expect, test } from "@jest/globals";
import { ApiError } from "../../src/api/errors.ts";
import { type Audit, type AuditReport, readAndAudit } from "../../src/ledger/audit.ts";
import { BOTTOM, type Ledger, ledgerFrom, type Position, type Row } from "../../src/ledger/ledger.ts";

const operation = { name: "list", path: "/" };
const MINUTE = 60_000;
const view = { tip: 30, depth: 25, start: 0, window: 24, isReplaced: () => false };
const row = (id: string, height: number): Row => ({ id, height, index: 0, hash: `b${height}` });
const [counted, listed] = [row("counted", 20), row("listed", 25)];
const place = { below: 2, total: 2 };
const ledger: Ledger = { ...ledgerFrom(BOTTOM), recent: [counted, listed], operation: "list", place };
const last = { height: 25, index: 0, at: 48 * 60 * MINUTE, by: "a", isOpen: true };
const suspected: Audit = { last, suspects: ["counted"] };

const audit = (
  rows: readonly Row[],
  [by, at]: readonly [string, number],
  known = suspected,
  { tip = view.tip, room = 4, recent = ledger.recent, onAudit = (_: AuditReport): void => undefined } = {},
) => {
  const page = async () => ({ rows, isTop: true, isLast: true });
  const list = { operation, newest: page, atCursor: page };
  const input = { list, ledger: { ...ledger, recent }, view: { ...view, tip }, requests: 1 };
  return readAndAudit(input, { audit: known, source: { at: last.at + at, by }, room: () => room, onAudit });
};

test.each([
  ["the same server, within an hour", "a", 59 * MINUTE, []],
  ["the same server, an hour later", "a", 60 * MINUTE, ["counted"]],
  ["another server", "b", MINUTE, ["counted"]],
])("a row that two audits do not find is reverted: %s", async (_, by, at, reverted) => {
  const result = await audit([listed], [by, at]);

  expect(result.reverted.map(({ id }) => id)).toEqual(reverted);
  expect(result.ledger.recent.map(({ id }) => id)).toEqual(["counted", "listed"].slice(reverted.length));
  expect(result.ledger.doubtful).toEqual([]);
});

test("a row that an audit does not find is compared again by the next one, however old it is", async () => {
  const first = await audit([listed], ["b", 1], { last: { ...last, height: 10 }, suspects: [] }, { tip: 49 });
  const second = await audit([listed], ["a", 2], first.audit, { tip: 49 });

  expect([first.audit.suspects, second.reverted.map(({ id }) => id)]).toEqual([["counted"], ["counted"]]);
});

test.each<[string, number, readonly Row[], readonly Row[], readonly string[]]>([
  ["stays counted", 48, [], [counted, listed], ["listed"]],
  ["is reverted when no fork can replace it any more", 49, [listed], [counted], []],
])("what is above the newest row of a server that is behind %s", async (_, tip, reverted, recent, suspects) => {
  const result = await audit([counted], ["b", 0], { last, suspects: ["listed"] }, { tip });

  expect([result.reverted, result.ledger.recent, result.audit.suspects]).toEqual([reverted, recent, suspects]);
  expect([result.isSkipped, result.ledger.place?.below]).toEqual([false, recent.length]);
});

test("a row that was too old to count does not count as reverted", async () => {
  const result = await audit([listed], ["b", 0], suspected, { recent: [{ ...counted, isOld: true }, listed] });

  expect([result.reverted, result.ledger.reverted.map(({ id }) => id)]).toEqual([[], ["counted"]]);
});

test("a row that only an audit finds counts, and is a mismatch", async () => {
  const reports: AuditReport[] = [];
  const onAudit = (report: AuditReport) => void reports.push(report);
  const result = await audit([listed, row("late", 22), counted], ["b", 1], suspected, { onAudit });

  expect([result.counted.map(({ id }) => id), result.audit.last.isOpen]).toEqual([["late"], true]);
  expect(reports).toMatchObject([{ mismatches: { unlisted: 0, uncounted: 1 }, isClean: false }]);
});

test.each([
  ["the first row that no audit has compared is as old as a window", 24, 49, 1, true],
  ["it is not that old", 24, 48, 1, false],
  ["every row was compared", 25, 49, 1, false],
  ["every row was compared a day ago", 25, 49, 24 * 60 * MINUTE, true],
])("an audit is due when %s, and not before", async (_, height, tip, at, isDue) => {
  const known = { last: { ...last, height, isOpen: false }, suspects: [] };
  const result = await audit([listed, counted], ["a", at], known, { tip });

  expect(result.audit.last.at).toBe(last.at + (isDue ? at : 0));
  expect(result.ledger.recent).toEqual([listed]);
});

test("what is new, or younger than half of a window, is compared again: a server can still tell a lie", async () => {
  const known = { last: { ...last, height: 19, isOpen: false }, suspects: [] };
  const heightOf = async (tip: number, recent: readonly Row[]) =>
    (await audit([listed, counted], ["b", 1], known, { tip, recent })).audit.last.height;

  expect([await heightOf(35, ledger.recent), await heightOf(49, [counted])]).toEqual([23, 20]);
});

test.each([0, 1])("an audit is due only if there are rows: %s", async (count) => {
  const recent = [listed].slice(0, count);
  const result = await audit(recent, ["b", 1], suspected, { recent });

  expect(result.audit.last.at - last.at).toBe(count);
});

const network = new ApiError("network", "list", "no response");
const behind = new ApiError("behind", "list", "the list is old");
const defect = new TypeError("defect");
test.each<[string, Error, number, Ledger | undefined, boolean, unknown]>([
  ["the poll does not get a response", network, 1, ledger, true, network],
  ["the first poll is behind", behind, 1, undefined, true, behind],
  ["the list is behind, and no audit is due", behind, 1, ledger, false, behind],
  ["the exporter has a defect", defect, 2, ledger, true, defect],
  ["the audit alone does not get a response", network, 2, ledger, true, "open"],
])("the poll fails, or the audit stays open: %s", async (_, failure, request, before, isOpen, expected) => {
  let requests = 0;
  const page = async () => ({ rows: [listed], isTop: true, isLast: true });
  const newest = () => (++requests === request ? Promise.reject(failure) : page());
  const input = { list: { operation, newest, atCursor: page }, ledger: before, view, requests: 1 };
  const known = { ...suspected, last: { ...last, isOpen } };
  const poll = readAndAudit(input, { audit: known, source: { at: last.at + 60 * MINUTE, by: "a" }, room: () => 4 });

  expect(await poll.then(({ audit: { last } }) => last.isOpen && "open").catch((error: unknown) => error)).toBe(
    expected,
  );
});

test("without budget, an audit that is due is not begun", async () => {
  const result = await audit([listed], ["b", 1], suspected, { room: 3 });

  expect(result.audit).toBe(suspected);
});

test.each([
  [26, false],
  [27, true],
])("an audit takes at most 50 requests, down and up again: of %s pages", async (pages, isOpen) => {
  const rows = Array.from({ length: pages }, (_, index) => row(`${index}`, 25 - index));
  let requests = 0;
  const pageAt = async (at: number) => {
    requests += 1;
    const newer = at > 0 ? String(at - 1) : undefined;
    return { rows: rows.slice(at, at + 1), next: rows[at + 1], newer, isTop: at === 0, isLast: at === pages - 1 };
  };
  const list = {
    operation,
    newest: () => pageAt(0),
    atCursor: (at: string | Position) => pageAt(typeof at === "string" ? Number(at) : Math.max(0, 25 - at.height)),
  };
  const known = { ...ledgerFrom({ height: -100, index: 0 }), recent: rows.toReversed(), operation: "list" };
  const input = { list, ledger: known, view: { ...view, window: 200 }, requests: 1 };
  const result = await readAndAudit(input, {
    audit: { last: { ...last, isOpen: false }, suspects: [] },
    source: { at: 1, by: "b" },
    room: () => 1_000,
  });

  // The first one is that of the poll.
  expect([result.audit.last.isOpen, result.audit.suspects, requests]).toEqual([isOpen, [], 51]);
});
