// Property tests of counting: fast-check generates a story of a chain and its servers, the exporter counts, and what
// its page has to show is computed from the blocks.
import fc from "fast-check";
import { COUNTING, type Counting, changesOf, ModelExporter, shownOf } from "./model-exporter.ts";
import { REMOVED, type Server } from "./model-world.ts";

export const CONFIRMATIONS = 3;

export type Step =
  | { readonly kind: "mine"; readonly sizes: readonly number[] }
  | { readonly kind: "reorg"; readonly depth: number; readonly keep: readonly boolean[] }
  | { readonly kind: "serve"; readonly server: Server; readonly polls: number }
  | { readonly kind: "fail"; readonly after: number }
  | { readonly kind: "shift"; readonly sizes: readonly number[] }
  | { readonly kind: "gone" }
  | { readonly kind: "restart" };

export interface Story {
  readonly first: readonly number[];
  readonly steps: readonly Step[];
  readonly pages: number;
  readonly backfill: "none" | "all";
  readonly tip: "list" | "heights";
}

const sizes = fc.array(
  fc.oneof({ weight: 8, arbitrary: fc.nat(3) }, { weight: 1, arbitrary: fc.integer({ min: 20, max: 130 }) }),
  { minLength: 1, maxLength: 8 },
);
const changes = fc.integer({ min: 1, max: 40 });
const server = fc.oneof<fc.Arbitrary<Server>[]>(
  fc.record({ kind: fc.constant("lag" as const), changes }),
  fc.record({ kind: fc.constant("flip" as const), changes }),
  fc.record({ kind: fc.constant("resync" as const), blocks: fc.integer({ min: 1, max: 9 }) }),
  fc.record({ kind: fc.constant("high" as const), by: fc.constantFrom(1, 30, 1_000, 2 ** 52) }),
  fc.constant({ kind: "empty" as const }),
);

const lie = fc.record({
  kind: fc.constant("lie" as const),
  invented: fc.nat(5),
  omitted: fc.nat(5),
  below: fc.nat(6),
  factor: fc.constantFrom(1n, 1n, 1n, 10n ** 6n, 10n ** 30n),
});
const wrongTip = fc.oneof<fc.Arbitrary<Server>[]>(
  fc.record({ kind: fc.constant("high" as const), by: fc.constantFrom(1, 30, 1_000, 2 ** 52) }),
  fc.record({ kind: fc.constant("forged" as const), blocks: fc.constantFrom(1, 30, 110) }),
);

/** Stories of servers that lie about rows, or about the tip. At their end many rows are mined. */
export const lies = (about: "rows" | "tip"): fc.Arbitrary<Story> =>
  fc.record({
    first: fc.array(fc.nat(3), { minLength: 6, maxLength: 30 }),
    steps: fc
      .array(
        fc.oneof<fc.Arbitrary<Step>[]>(
          fc.record({ kind: fc.constant("mine" as const), sizes }),
          fc.record({
            kind: fc.constant("serve" as const),
            server: about === "rows" ? lie : wrongTip,
            polls: fc.integer({ min: 1, max: 3 }),
          }),
          fc.constant({ kind: "serve" as const, server: { kind: "fresh" as const }, polls: 1 }),
          fc.constant({ kind: "restart" as const }),
        ),
        { minLength: 1, maxLength: 10 },
      )
      .map((steps): readonly Step[] => [
        ...steps,
        { kind: "serve", server: { kind: "fresh" }, polls: 1 },
        { kind: "mine", sizes: [20, 20, 20, 3] },
      ]),
    pages: fc.integer({ min: 2, max: 6 }),
    backfill: fc.constant("none" as const),
    tip: fc.constant("list" as const),
  });

/** Stories with reorganisations of at most this depth. */
export const stories = (depth: number, withGone: boolean): fc.Arbitrary<Story> =>
  fc.record({
    first: fc.array(fc.nat(3), { minLength: 6, maxLength: 30 }),
    steps: fc.array(
      fc.oneof<fc.Arbitrary<Step>[]>(
        fc.record({ kind: fc.constant("mine" as const), sizes }),
        fc.record({ kind: fc.constant("mine" as const), sizes }),
        fc.record({
          kind: fc.constant("reorg" as const),
          depth: fc.integer({ min: 1, max: depth }),
          keep: fc.array(fc.boolean(), { maxLength: 5 }),
        }),
        fc.record({ kind: fc.constant("serve" as const), server, polls: fc.integer({ min: 1, max: 4 }) }),
        fc.record({ kind: fc.constant("fail" as const), after: fc.nat(4) }),
        fc.record({ kind: fc.constant("shift" as const), sizes }),
        fc.constant({ kind: "restart" as const }),
        ...(withGone ? [fc.constant({ kind: "gone" as const })] : []),
      ),
      { minLength: 1, maxLength: 14 },
    ),
    pages: fc.integer({ min: 2, max: 6 }),
    backfill: fc.constantFrom("none" as const, "none" as const, "all" as const),
    tip: fc.constantFrom("list" as const, "list" as const, "heights" as const),
  });

const TRIES = 60;

/** Checks that a property holds in every story. Stops to shrink one that fails after some tries: each is a story. */
export async function assertStories(
  of: fc.Arbitrary<Story>,
  check: (story: Story) => Promise<void>,
  parameters: fc.Parameters<[Story]>,
): Promise<void> {
  let left: number | undefined;
  const property = fc.asyncProperty(of, async (story) => {
    if (left === 0) throw new fc.PreconditionFailure(true);
    if (left !== undefined) left -= 1;
    try {
      await check(story);
    } catch (error) {
      left ??= TRIES;
      throw error;
    }
  });
  await fc.assert(property, parameters);
}

/** How a story is run. */
export interface RunOptions {
  /** @default every collector that counts transactions */
  readonly names?: readonly Counting[];
  /** Requests of a poll to lists that the server accepts. @default no limit */
  readonly allowance?: number;
  /** Hours that pass at the end, with a poll in each. @default 0 */
  readonly hours?: number;
}

// A 429 pauses the exporter, usually for longer than a poll with this timeout takes, but not until the next poll.
const REFUSED = { timeout: "10s", longestWaitMs: 9_000, seconds: 70 };

/** Runs a story. At its end, a server without lag responds until everything is counted. */
export async function runStory(
  { first, steps, pages, backfill, tip }: Story,
  { names = COUNTING, allowance, hours = 0 }: RunOptions = {},
): Promise<ModelExporter> {
  const common = { pages, ...(allowance === undefined ? {} : { timeout: REFUSED.timeout }) };
  const settings = names.map((name) => [name, name === "addresses" ? { ...common, backfill } : common]);
  const exporter = await ModelExporter.start({
    confirmations: CONFIRMATIONS,
    // Polled in this order, 12 s apart. Polls that are refused take minutes: the height stays on the page for longer.
    collectors: { blocks: allowance === undefined ? {} : { every: "5m" }, ...Object.fromEntries(settings) },
    ...(allowance === undefined ? {} : { longestWaitMs: REFUSED.longestWaitMs }),
  });
  const { world } = exporter;
  // The server offers no list of blocks.
  if (tip === "heights") world.status.set("blocks", 404);
  world.mine(first);
  world.allowance = allowance ?? world.allowance;
  const poll = () => exporter.poll(undefined, allowance === undefined ? 60 : REFUSED.seconds * (names.length + 1));
  try {
    for (let polls = 0; polls < 3 && exporter.firstTip === undefined; polls += 1) await poll();
    for (const step of steps) await tell(step, exporter, poll);
    world.serve({ kind: "fresh" });
    await settle(exporter, names, poll);
    for (let left = hours; left > 0; left -= 1) {
      world.mine([0]);
      world.now += 3_600_000;
      await poll();
    }
    return exporter;
  } finally {
    await exporter[Symbol.asyncDispose]();
  }
}

async function tell(step: Step, exporter: ModelExporter, poll: () => Promise<void>): Promise<void> {
  const { world } = exporter;
  let polls = 1;
  if (step.kind === "mine") world.mine(step.sizes);
  else if (step.kind === "reorg") world.reorg(step.depth, step.keep);
  else if (step.kind === "gone") for (const operation of REMOVED) world.status.set(operation, 410);
  else if (step.kind === "restart") await exporter.restart();
  else if (step.kind === "serve") {
    world.serve(step.server);
    polls = step.polls;
  } else if (step.kind === "shift") {
    let isDone = false;
    world.afterResponse = () => {
      if (!isDone) world.mine(step.sizes);
      isDone = true;
    };
  } else {
    const end = world.responses + step.after;
    world.afterResponse = () => {
      if (world.responses >= end) world.status.set("*", 500);
    };
    if (step.after === 0) world.status.set("*", 500);
  }
  for (; polls > 0; polls -= 1) await poll();
  world.afterResponse = () => undefined;
  world.status.delete("*");
}

// Everything gets its confirmations, and nothing new happens: the end is reached when nothing waits and the counters
// have stayed the same for some polls, each of which reads all that the settings allow. A wrong counter that changes
// later is found, too: most stories end later than this.
const LEAST_POLLS = 9;
const QUIET_POLLS = 5;
const MOST_POLLS = 400;
const WAITING = [
  "stacks_address_pending_depth_transactions",
  "stacks_address_backlog_transactions",
  "stacks_chain_pending_depth_transactions",
  "stacks_contract_backlog_events",
  "stacks_contract_pending_depth_calls",
];

async function settle(exporter: ModelExporter, names: readonly Counting[], poll: () => Promise<void>): Promise<void> {
  const { world } = exporter;
  world.mine(new Array(CONFIRMATIONS + 12).fill(0));
  let before = "";
  for (let polls = 1, quiet = 0; polls <= MOST_POLLS && (polls < LEAST_POLLS || quiet < QUIET_POLLS); polls += 1) {
    world.mine([0, 0]);
    await poll();
    const now = textOf(exporter, names);
    const isWaiting = WAITING.some((gauge) => (exporter.page.value(gauge) ?? 0) !== 0);
    quiet = isWaiting || now !== before ? 0 : quiet + 1;
    before = now;
  }
}

/** Everything that the page shows as counted. */
const textOf = (exporter: ModelExporter, names: readonly Counting[]): string => {
  const all = names.map((name) => [shownOf(exporter, name), changesOf(exporter, name)]);
  return JSON.stringify(all, (_, value: unknown) => {
    if (value instanceof Map) return [...value];
    return typeof value === "bigint" ? String(value) : value;
  });
};
