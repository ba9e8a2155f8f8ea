// Sums of groups, in random stories with restarts, failures and changes of the watch list, against sums that the test
// adds up by itself.
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { Task } from "../../src/collectors/collector.ts";
import { Exposition } from "../../src/exposition/exposition.ts";
import { StateFileError } from "../../src/store/open.ts";
import { State } from "../../src/store/state.ts";
import { counted, families, memberTask, sums } from "../support/group-members.ts";
import { parseExposition } from "../support/parser.ts";
import { TestStateFile } from "../support/state-file.ts";

const MAX_AGE = 30_000;
const groups = [{ network: "mainnet", collector: "addresses", group: "g", sums }];
let file: TestStateFile;
beforeEach(() => {
  file = new TestStateFile();
});
afterEach(() => file.remove());
/** An empty state file instead of the one before. */
function anotherFile(): void {
  file.remove();
  file = new TestStateFile();
}

const members = fc.nat({ max: 4 });
const step = fc.oneof(
  {
    weight: 20,
    arbitrary: fc.record({ kind: fc.constant("poll" as const), member: members, more: fc.nat({ max: 9 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("fail" as const), member: members }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("wait" as const), seconds: fc.nat({ max: 20 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("list" as const), members: fc.uniqueArray(members) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("restart" as const), members: fc.uniqueArray(members) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("kill" as const) }) },
);

test("group sums are the sums of what members count, and their counters never decrease", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      anotherFile();
      // Also without members, a group has its counters after a restart.
      new Story().play([...steps, { kind: "restart", members: [] }]);
    }),
    { numRuns: 60, seed: 20_261_127 },
  );
});

test("the sum of a group is absent while one member cannot be read", () => {
  const tasks = [1, 2, 3].map((member) => memberTask(member, "g"));
  const first = file.open();
  const before = new State(new Exposition(families), first);
  before.follow("mainnet", tasks, groups, 1000);
  for (const task of tasks) before.begin(task).succeed(counted(1, 4, 0), 1000);
  first.saveBudget("b", { minute: [] });
  const store = file.reopen();
  const load = store.load.bind(store);
  const sumOf = (unreadable: string) => {
    store.load = (key, part) => {
      if (key[2] === unreadable) throw new Error("unreadable");
      return load(key, part);
    };
    const exposition = new Exposition(families);
    const state = new State(exposition, store);
    for (const followed of [tasks.slice(1), tasks]) {
      state.follow("mainnet", followed, groups, 2000);
      state.expire(2000);
    }
    return /^stacks_group_level.* (\d+)$/m.exec(exposition.page("classic").toString())?.[1];
  };

  expect([sumOf(""), sumOf("1")]).toEqual(["12", undefined]);
});

test("the counters of a group stay after damage, also when its gauges expire", () => {
  const store = file.open();
  const exposition = new Exposition(families);
  const state = new State(exposition, store);
  const task = memberTask(1, "g");
  state.follow("mainnet", [task], groups, 1000);
  state.begin(task).succeed(counted(1, 4, 3), 1000);
  state.expire(1000);
  const shown = () =>
    exposition
      .page("classic")
      .toString()
      .match(/^stacks_group_\w+/gm);
  const before = ["stacks_group_sent_total", "stacks_group_amount_total", "stacks_group_level"];
  expect(shown()).toEqual(before);
  // What has not changed is not read again.
  file.close();
  state.expire(1000);
  expect(shown()).toEqual(before);
  state.stopCounting(StateFileError.damaged(store.path, "a page"));
  state.expire(1000 + MAX_AGE);

  expect(shown()).toEqual(["stacks_group_sent_total", "stacks_group_amount_total"]);
});

type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

class Story {
  // A state that is not told the time restores no gauge: for it, every poll is in the future.
  now = 1;
  exposition = new Exposition(families);
  state = new State(this.exposition, file.reopen());
  tasks = new Map<number, Task>();
  /** Counts of each member, in the group or before. */
  readonly counts = new Map<number, number>();
  readonly polledAt = new Map<number, number>();
  /** Counts of members during their membership, by kind. */
  readonly total = [0, 0];
  highest = 0;

  constructor() {
    this.restart([0, 1, 2]);
  }

  play(steps: readonly Step[]): void {
    for (const one of steps) {
      this.take(one);
      this.verify();
    }
  }

  restart(list: readonly number[]): void {
    this.exposition = new Exposition(families);
    this.state = new State(this.exposition, file.reopen());
    this.tasks = new Map(list.map((member) => [member, memberTask(member, "g")]));
    this.state.follow("mainnet", [...this.tasks.values()], groups);
    this.polledAt.clear();
  }

  take(one: Step): void {
    if (one.kind === "wait") this.now += one.seconds * 1000;
    if (one.kind === "restart") this.restart(one.members);
    if (one.kind === "kill") this.restart([...this.tasks.keys()]);
    if (one.kind === "list") this.list(one.members);
    const task = "member" in one ? this.tasks.get(one.member) : undefined;
    if (task === undefined) return;
    if (one.kind === "fail") this.state.fail(task, { reason: "network", message: "down", at: this.now });
    if (one.kind !== "poll") return;
    const count = (this.counts.get(one.member) ?? 0) + one.more;
    this.state.begin(task).succeed(counted(one.member, count, one.more), this.now);
    this.counts.set(one.member, count);
    this.total[one.member % 2] = (this.total[one.member % 2] ?? 0) + one.more;
    this.polledAt.set(one.member, this.now);
  }

  list(list: readonly number[]): void {
    for (const member of this.tasks.keys()) if (!list.includes(member)) this.polledAt.delete(member);
    this.tasks = new Map(list.map((member) => [member, this.tasks.get(member) ?? memberTask(member, "g")]));
    this.state.follow("mainnet", [...this.tasks.values()], groups);
  }

  verify(): void {
    this.state.expire(this.now);
    const values = new Map(
      parseExposition(this.exposition.page("classic").toString(), "classic")
        .flatMap(({ samples }) => samples)
        .map(({ name, labels, value }) => [`${name} ${labels.get("kind") ?? labels.get("le") ?? ""}`.trim(), value]),
    );
    const names = [...values.keys()];
    expect(names.every((name) => name.startsWith("stacks_group_"))).toBe(true);
    const all = this.total.reduce((sum, count) => sum + count, 0);
    for (const kind of [0, 1]) expect(values.get(`stacks_group_sent_total k${kind}`) ?? 0).toBe(this.total[kind]);
    expect(values.get("stacks_group_amount_total") ?? 0).toBe(Number(BigInt(all) * 10n ** 30n));
    expect(all).toBeGreaterThanOrEqual(this.highest);
    this.highest = all;
    const known = [...this.tasks.keys()].filter(
      (member) => this.now - (this.polledAt.get(member) ?? Number.NEGATIVE_INFINITY) < MAX_AGE,
    );
    const counts = known.map((member) => this.counts.get(member) ?? 0);
    const isWhole = known.length === this.tasks.size && known.length > 0;
    expect(values.get("stacks_group_level k")).toBe(
      isWhole ? counts.reduce((sum, count) => sum + (count % 5), 0) : undefined,
    );
  }
}

test("an address that changes its group has its own series, or none, at once", () => {
  const exposition = new Exposition(families);
  const state = new State(exposition, file.reopen());
  const [single, summed] = [memberTask(0, undefined), memberTask(0, "g")];
  const page = () => {
    state.expire(0);
    return exposition.page("classic").toString();
  };
  state.follow("mainnet", [single], groups);
  state.begin(single).succeed(counted(0, 3, 3), 0);
  expect(page()).toContain('stacks_address_level{network="mainnet",name="0",address="0",kind="k"} 3');

  state.follow("mainnet", [summed], groups);
  expect(page()).not.toMatch(/^stacks_address_/m);
  state.follow("mainnet", [summed], groups);
  state.follow("testnet", []);
  expect(page()).toContain('stacks_group_level{network="mainnet",group="g",kind="k"} 3');
  state.follow("mainnet", [single], groups);
  expect(page()).not.toMatch(/^stacks_group_/m);
  expect(page()).toContain('stacks_address_level{network="mainnet",name="0",address="0",kind="k"} 3');
  state.follow("mainnet", [summed], groups);
  state.begin(summed).succeed(counted(0, 4, 1), 0);
  expect(page()).toContain("stacks_group_sent_total");
  state.follow("mainnet", [single]);
  expect(page()).not.toMatch(/^stacks_group_/m);
});
