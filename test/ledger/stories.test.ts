// Stories of a chain with forks, of servers that lag, and of polls with few requests: each row counts once.
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { ApiError } from "../../src/api/errors.ts";
import { type Audit, type AuditReport, readAndAudit } from "../../src/ledger/audit.ts";
import { type Ledger, ledgerFrom, type Page, type Position, type Row, rewound } from "../../src/ledger/ledger.ts";
import type { List } from "../../src/ledger/read.ts";

interface Block {
  readonly hash: string;
  readonly ids: readonly string[];
}

const PAGE = 50;
const CONFIRMATIONS = 3;
const WINDOW = 24;

/** What a bad server lists: rows that the blocks up to some below the depth do not contain, or not all rows. */
type Lie = { readonly invented: number; readonly omitted: number; readonly below: number };

type Step =
  | { readonly kind: "mine"; readonly sizes: readonly number[] }
  | { readonly kind: "fork"; readonly depth: number; readonly keep: readonly boolean[]; readonly fresh: number }
  | { readonly kind: "lag"; readonly changes: number; readonly polls: number }
  | { readonly kind: "move"; readonly sizes: readonly number[] }
  | { readonly kind: "lie"; readonly lie: Lie; readonly polls: number }
  | { readonly kind: "poll" };

const sizes = fc.array(
  fc.oneof({ weight: 8, arbitrary: fc.nat(2) }, { weight: 1, arbitrary: fc.integer({ min: 20, max: 130 }) }),
  { minLength: 1, maxLength: 6 },
);
const lie = fc.record({
  kind: fc.constant("lie" as const),
  lie: fc.record({ invented: fc.nat(4), omitted: fc.nat(3), below: fc.nat(3) }),
  polls: fc.integer({ min: 1, max: 3 }),
});
const storyWith = (...lies: fc.Arbitrary<Step>[]) =>
  fc.record({
    first: fc.array(fc.nat(3), { minLength: 6, maxLength: 40 }),
    steps: fc.array(
      fc.oneof<fc.Arbitrary<Step>[]>(
        ...lies,
        fc.record({ kind: fc.constant("mine" as const), sizes }),
        fc.record({ kind: fc.constant("mine" as const), sizes }),
        fc.record({
          kind: fc.constant("fork" as const),
          depth: fc.integer({ min: 1, max: 8 }),
          keep: fc.array(fc.boolean(), { maxLength: 5 }),
          fresh: fc.nat(2),
        }),
        fc.record({
          kind: fc.constant("lag" as const),
          changes: fc.integer({ min: 1, max: 20 }),
          polls: fc.integer({ min: 1, max: 4 }),
        }),
        fc.record({ kind: fc.constant("move" as const), sizes }),
        fc.constant({ kind: "poll" as const }),
      ),
      { minLength: 1, maxLength: 20 },
    ),
    requests: fc.integer({ min: 1, max: 4 }),
    hasCursors: fc.boolean(),
    /** Newest pages that are read before, for the gauges of a collector. */
    window: fc.constantFrom(0, 0, 1, 3),
    drift: fc.constantFrom(0, 0, 0, -60, -3, 5, 70),
  });
const story = storyWith();
type Story = typeof story extends fc.Arbitrary<infer Of> ? Of : never;

class World {
  readonly history: (readonly Block[])[] = [[]];
  #made = 0;
  /** Changes by which the list is behind. */
  lag = 0;
  /** Error of the total of the list. */
  drift = 0;
  requests = 0;
  lie: Lie | undefined;
  polls = 0;
  readonly #told = new Map<string, number>();
  beforeResponse: () => void = () => undefined;

  get blocks(): readonly Block[] {
    return this.history.at(-1) ?? [];
  }

  mine(amounts: readonly number[]): void {
    for (const amount of amounts)
      this.history.push([...this.blocks, this.#block(Array.from({ length: amount }, () => this.#id()))]);
  }

  fork(depth: number, keep: readonly boolean[], fresh: number): void {
    const cut = Math.min(depth, this.blocks.length - 1);
    const lost = this.blocks.slice(this.blocks.length - cut);
    const base = this.blocks.slice(0, this.blocks.length - cut);
    let place = 0;
    const again = lost.map(({ ids }) => ids.filter(() => keep.length === 0 || keep[place++ % keep.length]));
    const added = Array.from({ length: fresh }, () => this.#id());
    this.history.push([...base, this.#block(added), ...again.map((ids) => this.#block(ids))]);
  }

  #block(ids: readonly string[]): Block {
    this.#made += 1;
    return { hash: `b${this.#made}`, ids };
  }

  #id(): string {
    this.#made += 1;
    return `t${this.#made}`;
  }

  /** The rows that a server lists. */
  #listed(blocks: readonly Block[]): Row[] {
    const { invented = 0, omitted = 0, below = 0 } = this.lie ?? {};
    const height = blocks.length - CONFIRMATIONS - below;
    const rows = this.rows(blocks);
    const [hash, index] = [blocks[height]?.hash, blocks[height]?.ids.length ?? 0];
    const at = rows.findIndex((row) => row.height <= height);
    if (hash === undefined || at < 0) return rows;
    const ids = Array.from({ length: invented }, (_, number) => `${hash} ${this.polls} ${number}`).reverse();
    const made = ids.map((id, number) => ({ id, hash, height, index: index + invented - 1 - number }));
    // What two polls hear is believed, because the second one can be an audit.
    const isTold = ({ id }: Row) => (this.#told.get(id) ?? this.polls) === this.polls;
    const left = rows.slice(at, at + omitted).filter(isTold);
    for (const { id } of left) this.#told.set(id, this.polls);
    return rows.toSpliced(at, 0, ...made).filter((row) => !left.includes(row));
  }

  rows(blocks: readonly Block[]): Row[] {
    return blocks.flatMap(({ hash, ids }, height) => ids.map((id, index) => ({ id, hash, height, index }))).reverse();
  }

  list(hasCursors: boolean): List<Row> {
    const respond = (start: (rows: readonly Row[]) => number): Page<Row> => {
      this.requests += 1;
      this.beforeResponse();
      const all = this.#listed(this.history[Math.max(1, this.history.length - 1 - this.lag)] ?? []);
      const offset = start(all);
      const rows = all.slice(offset, offset + PAGE);
      const next = all[offset + PAGE];
      const newer = offset >= PAGE && rows.length > 0 ? all[offset - PAGE] : undefined;
      const page = { rows, isTop: offset === 0, isLast: next === undefined, etag: all[0]?.id };
      if (!hasCursors) return { ...page, offset, total: rows.length === 0 ? 0 : Math.max(0, all.length + this.drift) };
      return { ...page, next, newer: newer === undefined ? undefined : `${newer.height}:${newer.index}` };
    };
    const newest = async (etag?: string) => {
      const page = respond(() => 0);
      return etag !== undefined && etag === page.etag ? undefined : page;
    };
    const atOffset = async (offset: number) => respond(() => offset);
    const atCursor = async (cursor: string | Position) => {
      const [height = 0, index = 0] =
        typeof cursor === "string" ? cursor.split(":").map(Number) : [cursor.height, cursor.index];
      const isAt = (row: Row) => row.height < height || (row.height === height && row.index <= index);
      return respond((rows) => {
        const found = rows.findIndex(isAt);
        return found < 0 ? rows.length : found;
      });
    };
    return hasCursors ? { operation: "list", newest, atCursor } : { operation: "list", newest, atOffset };
  }
}

/** The newest pages, from the newest one down; undefined if the list has not changed. */
async function readNewest(list: List<Row>, ledger: Ledger | undefined, count: number) {
  const newest = count > 0 ? await list.newest(ledger?.etag) : undefined;
  if (newest === undefined) return count > 0 ? undefined : [];
  const pages = [newest];
  for (let { next } = newest; next !== undefined && pages.length < count; next = pages.at(-1)?.next) {
    const page = await list.atCursor?.(next);
    if (page !== undefined) pages.push(page);
  }
  return pages;
}

async function tell({ first, steps, requests, hasCursors, window, drift }: Story, blocks: number) {
  const world = new World();
  world.mine([...first, 0, 0]);
  const list = world.list(hasCursors);
  let known = world.blocks;
  const view = () => {
    const tip = known.length - 1;
    const isReplaced = ({ height, hash }: Row) => (height > tip ? undefined : known[height]?.hash !== hash);
    const depth = tip - CONFIRMATIONS + 1;
    return { tip, depth, start: depth, window: blocks, isReplaced };
  };
  const counted: Row[] = [];
  const net = new Map<string, number>();
  let ledger: Ledger | undefined;
  let audit: Audit | undefined;
  const mismatches = { unlisted: 0, uncounted: 0 };
  let now = 0;
  const add = (rows: readonly Row[], by: number) => {
    for (const { id } of rows) net.set(id, (net.get(id) ?? 0) + by);
  };
  const poll = async () => {
    world.polls += 1;
    now += 3_600_000;
    known = world.blocks;
    const before = world.requests;
    try {
      const pages = await readNewest(list, ledger, hasCursors ? window : Math.min(window, 1));
      const input = {
        list,
        ledger,
        view: view(),
        requests: pages === undefined ? 1 : requests,
        catchUp: Number.POSITIVE_INFINITY,
        pages,
      };
      const room = () => {
        expect(world.requests - before).toBeLessThanOrEqual(requests + window);
        return 400;
      };
      const onAudit = ({ mismatches: { unlisted, uncounted } }: AuditReport) => {
        mismatches.unlisted += unlisted;
        mismatches.uncounted += uncounted;
      };
      const result = await readAndAudit(input, { audit, source: { at: now, by: "upstream" }, room, onAudit });
      counted.push(...result.counted);
      add([...result.counted, ...result.restored], 1);
      add(result.reverted, -1);
      // As after a restart.
      ({ ledger, audit } = JSON.parse(JSON.stringify(result)) as typeof result);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
  };
  await poll();
  const start = known.length - CONFIRMATIONS;
  const old = new Set(
    world
      .rows(known)
      .filter(({ height }) => height <= start)
      .map(({ id }) => id),
  );
  world.drift = drift;
  for (const step of steps) {
    let polls = 1;
    if (step.kind === "mine") world.mine(step.sizes);
    if (step.kind === "fork") world.fork(step.depth, step.keep, step.fresh);
    if (step.kind === "lag") {
      world.lag = step.changes;
      polls = step.polls;
    }
    if (step.kind === "lie") {
      world.lie = step.lie;
      polls = step.polls;
    }
    if (step.kind === "move") {
      world.beforeResponse = () => {
        world.beforeResponse = () => undefined;
        world.mine(step.sizes);
      };
    }
    for (; polls > 0; polls -= 1) await poll();
    world.beforeResponse = () => undefined;
    world.lag = 0;
    world.lie = undefined;
  }
  world.mine(new Array<number>(CONFIRMATIONS + 10).fill(0));
  const maximum = 60 + blocks + 3 * Math.ceil(world.rows(world.blocks).length / PAGE) + Math.abs(drift);
  for (let polls = 0; polls < maximum; polls += 1) {
    world.mine([0]);
    await poll();
  }
  const settled = world.rows(world.blocks).filter(({ id }) => !old.has(id));
  const low = new Set(world.history.flatMap((blocks) => blocks.slice(0, start + 1).flatMap(({ ids }) => ids)));
  return { counted, net, settled, ledger, low, mismatches, suspects: audit?.suspects };
}

// More than in the fast tests with `npm run stories`.
const RUNS = Number(process.env.STORIES ?? 100);

async function expectCounted(one: Story, blocks: number) {
  const { counted, net, settled, ledger, low, mismatches, suspects } = await tell(one, blocks);

  const ids = counted.map(({ id }) => id);
  expect(ids.length).toBe(new Set(ids).size);
  const canonical = [...net].filter(([, count]) => count !== 0);
  expect(canonical.every(([, count]) => count === 1)).toBe(true);
  // A deep fork can put rows where nothing counts, and back.
  const known = new Set(canonical.map(([id]) => id));
  const countable = settled.filter(({ id }) => !low.has(id) || known.has(id));
  expect([...known].sort()).toEqual(countable.map(({ id }) => id).sort());
  expect(ledger?.isFar).toBe(false);
  return { mismatches, suspects };
}

// More rows than a page are replaced by none, before they are read.
const UNREAD_THEN_REPLACED: Story = {
  first: [0, 0, 0, 0, 0, 1],
  steps: [
    { kind: "mine", sizes: [49, 1] },
    { kind: "fork", depth: 2, keep: [false], fresh: 0 },
  ],
  requests: 1,
  hasCursors: false,
  window: 1,
  drift: -60,
};

test("each settled row counts once, through forks, lagging servers, moving pages, restarts and few requests", async () => {
  await fc.assert(
    fc.asyncProperty(story, async (one) => {
      const { mismatches } = await expectCounted(one, WINDOW);
      expect(mismatches).toEqual({ unlisted: 0, uncounted: 0 });
    }),
    { numRuns: RUNS, examples: [[UNREAD_THEN_REPLACED]] },
  );
});

test("audits revert the rows that a server has invented, and count those that it has left out", async () => {
  await fc.assert(
    fc.asyncProperty(storyWith(lie, lie, lie), async (one) => {
      const { suspects } = await expectCounted(one, WINDOW);
      expect(suspects).toEqual([]);
    }),
    { numRuns: RUNS },
  );
});

test("a start that is further above the tip than a fork can bring it was wrong", () => {
  const view = { tip: 100, depth: 98, start: 98, window: WINDOW, isReplaced: () => undefined };
  const floors = [100, 100 + WINDOW, 101 + WINDOW].map(
    (height) => rewound(ledgerFrom({ height, index: 0 }), view).floor,
  );
  expect(floors.map(({ height }) => height)).toEqual([100, 100 + WINDOW, 98]);
});
