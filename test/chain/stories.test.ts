// Property tests of the follower: servers lag, resync, fork and lie, requests are few, and processes restart.
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { ApiError } from "../../src/api/errors.ts";
import type { StacksApi } from "../../src/api/operation.ts";
import { isLinked, lowestOf, tipOf } from "../../src/chain/branch.ts";
import { type Followed, follow } from "../../src/chain/follow.ts";
import { heightSource, listSource } from "../../src/chain/sources.ts";
import { cannedApi } from "../support/canned-api.ts";
import { ModelWorld, type Server } from "../support/model-world.ts";

const NEEDED = 54;
const CATCH_UP = 90;
const EMPTY = (count: number) => new Array<number>(count).fill(0);

type Step =
  | { readonly kind: "mine"; readonly count: number }
  | { readonly kind: "fork"; readonly depth: number }
  | { readonly kind: "serve"; readonly server: Server; readonly polls: number }
  | { readonly kind: "lie"; readonly below: number; readonly count: number; readonly late: number };

const changes = fc.integer({ min: 1, max: 40 });
const step = fc.oneof<fc.Arbitrary<Step>[]>(
  fc.record({
    kind: fc.constant("mine" as const),
    count: fc.oneof(fc.nat(9), fc.integer({ min: 20, max: 400 })),
  }),
  fc.record({ kind: fc.constant("fork" as const), depth: fc.integer({ min: 1, max: 48 }) }),
  fc.record({
    kind: fc.constant("serve" as const),
    server: fc.oneof<fc.Arbitrary<Server>[]>(
      fc.record({ kind: fc.constant("lag" as const), changes }),
      fc.record({ kind: fc.constant("flip" as const), changes }),
      fc.record({ kind: fc.constant("resync" as const), blocks: fc.integer({ min: 1, max: 9 }) }),
      fc.record({ kind: fc.constant("high" as const), by: fc.constantFrom(1, 30, 1_000) }),
      fc.constant({ kind: "empty" as const }),
    ),
    polls: fc.integer({ min: 1, max: 4 }),
  }),
  fc.record({
    kind: fc.constant("lie" as const),
    below: fc.nat(60),
    count: fc.integer({ min: 1, max: 120 }),
    late: fc.constantFrom(0, 100, 1e10),
  }),
);
const stories = fc.record({
  first: fc.integer({ min: 1, max: 150 }),
  steps: fc.array(step, { minLength: 1, maxLength: 12 }),
  requests: fc.constantFrom(1, 2, 5, 1000),
  source: fc.constantFrom("list" as const, "list" as const, "heights" as const),
});
type Story = typeof stories extends fc.Arbitrary<infer Of> ? Of : never;

class Run {
  readonly world = new ModelWorld();
  readonly #api: StacksApi = cannedApi(this.world.respond, () => this.world.now);
  readonly #story: Story;
  kept: Followed = { branch: undefined };
  readonly counted = new Set<string>();
  readonly orphaned = new Set<string>();
  failures: string[] = [];
  #left = 0;

  constructor(story: Story) {
    this.#story = story;
  }

  /** An API that accepts some requests of each poll. */
  get #limited(): StacksApi {
    const admit = () => {
      this.#left -= 1;
      if (this.#left < 0) throw new ApiError("budget", "any", "none left");
    };
    const get: StacksApi["get"] = async (operation, parameters) => {
      admit();
      return this.#api.get(operation, parameters);
    };
    const find: StacksApi["find"] = async (operation, parameters) => {
      admit();
      return this.#api.find(operation, parameters);
    };
    return { ...this.#api, get, find };
  }

  async poll(requests: number = this.#story.requests): Promise<void> {
    const { world, kept } = this;
    world.now += 30_000;
    this.#left = requests;
    const tip = kept.branch && tipOf(kept.branch);
    const checkIdentity = async () => undefined;
    const options = { catchUp: CATCH_UP, needed: NEEDED, blocksPerMinute: 60, now: world.now, checkIdentity };
    const api = this.#limited;
    const source = (this.#story.source === "list" ? listSource : heightSource)(api, tip?.height);
    try {
      const { change, ...followed } = await follow(api, source, kept, options);
      if (tip !== undefined && followed.branch !== undefined) {
        const { height } = tipOf(followed.branch);
        const seconds = (world.now - (kept.branch?.acceptedAt ?? 0)) / 1000 + 40;
        expect(height - tip.height).toBeLessThanOrEqual(30 + Math.max(seconds, world.now / 1000 - (tip.time ?? 0)));
        if (height < tip.height) expect(change?.orphaned.length).toBeGreaterThan(0);
      }
      for (const { hash } of change?.fresh ?? []) {
        expect(this.counted.has(hash)).toBe(false);
        this.counted.add(hash);
      }
      for (const { hash } of change?.orphaned ?? []) this.orphaned.add(hash);
      // As after a restart.
      this.kept = JSON.parse(JSON.stringify(followed)) as typeof kept;
      this.#check();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.failures.push(error.message);
    }
  }

  #check(): void {
    const { branch } = this.kept;
    if (branch === undefined) return;
    expect(branch.blocks.length).toBeLessThanOrEqual(1000);
    expect(isLinked(branch.blocks)).toBe(true);
  }
}

async function tell(story: Story): Promise<Run> {
  const run = new Run(story);
  const { world } = run;
  world.mine(EMPTY(story.first));
  for (let polls = 0; polls < 4; polls += 1) await run.poll(1000);
  for (const one of story.steps) {
    let polls = 1;
    const honest = world.blocks;
    if (one.kind === "mine") world.mine(EMPTY(one.count));
    if (one.kind === "fork") world.reorg(Math.min(one.depth, honest.length - 1), []);
    if (one.kind === "lie") {
      const lie = honest.slice(0, Math.max(1, honest.length - one.below));
      for (let made = 0; made < one.count; made += 1) {
        const hash = `0xd${world.now}-${made}`;
        const height = lie.length + 1;
        const time = Math.floor(world.now / 1000) + one.late;
        lie.push({ height, hash, indexHash: `${hash}e`, parent: lie.at(-1)?.hash ?? "", time, txs: [] });
      }
      world.history.push(lie);
    }
    if (one.kind === "serve") {
      world.serve(one.server);
      polls = one.polls;
    }
    for (; polls > 0; polls -= 1) await run.poll();
    if (one.kind === "lie") world.history.push(honest);
    world.serve({ kind: "fresh" });
  }
  return run;
}

const RUNS = Number(process.env.STORIES ?? 60);

test("servers that lag, fork and lie change the branch for some minutes, and each block counts once", async () => {
  await fc.assert(
    fc.asyncProperty(stories, async (story) => {
      const run = await tell(story);
      const { world } = run;
      // A fork of 48 blocks after a lie is connected block by block where there is no list.
      for (let polls = 0; polls < 40; polls += 1) {
        world.mine(EMPTY(1));
        await run.poll(Math.max(story.requests, story.source === "list" ? 2 : 5));
      }
      for (let polls = 0; polls < 6; polls += 1) await run.poll(1000);

      const { branch } = run.kept;
      const blocks = branch?.blocks ?? [];
      const isCanonical = ({ height, hash }: { height: number; hash: string }) =>
        world.blocks[height - 1]?.hash === hash;
      expect(blocks.filter((block) => !isCanonical(block))).toEqual([]);
      expect(blocks.at(-1)?.height).toBe(world.tip);
      expect(branch && lowestOf(branch)).toBeLessThanOrEqual(Math.max(1, world.tip - NEEDED + 1));
      expect([...run.orphaned].filter((hash) => run.kept.branch?.replaced.every((one) => one.hash !== hash))).toEqual(
        [],
      );
    }),
    { numRuns: RUNS, seed: 20_261_123 },
  );
});
