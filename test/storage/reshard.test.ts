// Random stories of shards whose number changes: every total has one owner, and sums over shards continue.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { Task } from "../../src/collectors/task.ts";
import { Exposition } from "../../src/exposition/exposition.ts";
import { reshard } from "../../src/storage/reshard.ts";
import { shardOf } from "../../src/storage/shard.ts";
import { State } from "../../src/storage/state.ts";
import { StateFile } from "../../src/storage/state-file.ts";
import { families, memberTask, sums } from "../support/group-members.ts";
import { parseExposition } from "../support/parser.ts";

const root = mkdtempSync(join(tmpdir(), "stacks-exporter-reshard-"));
afterAll(() => rmSync(root, { recursive: true }));
const options = { log: { warn: () => undefined }, clock: { now: () => 0 } };
let folders = 0;

class Shards {
  files: readonly StateFile[] = [];
  #paths: readonly string[] = [];
  #watched = MEMBERS;
  #states: readonly { readonly state: State; readonly exposition: Exposition; readonly tasks: Map<number, Task> }[] =
    [];

  constructor(count: number, isSummed: boolean) {
    this.#open(
      Array.from({ length: count }, (_, index) => join(this.#folder(), `shard-${index}.db`)),
      isSummed,
    );
  }

  #folder(): string {
    folders += 1;
    return join(root, String(folders));
  }

  #open(paths: readonly string[], isSummed: boolean): void {
    const count = paths.length;
    this.#paths = paths;
    this.files = paths.map((path, index) => {
      const file = new StateFile(path, options);
      file.claim({ index, count }, 0);
      return file;
    });
    this.#states = this.files.map((file, index) => {
      const exposition = new Exposition(families);
      const state = new State(exposition, file);
      const kept = { network: "mainnet", collector: "addresses", group: "g" };
      state.keepGroups("mainnet", isSummed ? [{ of: kept, sums }] : []);
      const own = this.#watched.filter((member) => shardOf(String(member), count) === index);
      const tasks = new Map(own.map((member) => [member, memberTask(member, isSummed ? "g" : undefined)]));
      for (const task of tasks.values()) state.restore(task);
      return { state, exposition, tasks };
    });
  }

  /** Ignores members that are not watched. */
  count(member: number, total: number): boolean {
    for (const { state, tasks } of this.#states) {
      const task = tasks.get(member);
      if (task === undefined) continue;
      const observation = { count: total };
      state.succeed(task, observation, task.collector.samples(observation, task.network, task.target), 0);
    }
    return this.#watched.includes(member);
  }

  /** Stops watching the member. */
  remove(member: number): void {
    this.#watched = this.#watched.filter((one) => one !== member);
    for (const { state, tasks } of this.#states) {
      const task = tasks.get(member);
      if (task !== undefined) state.remove(task);
      tasks.delete(member);
    }
  }

  to(count: number, isSummed: boolean): void {
    for (const file of this.files) file.close();
    this.#open(reshard(this.#paths, count, this.#folder(), options), isSummed);
  }

  close(): void {
    for (const file of this.files) file.close();
  }

  /** The sum over the pages of all shards. */
  sum(name: string): number {
    const samples = this.#states.flatMap(({ state, exposition }) => {
      state.expire(0);
      return parseExposition(exposition.page("classic").toString(), "classic").flatMap((family) => family.samples);
    });
    return samples.filter((sample) => sample.name === name).reduce((sum, { value }) => sum + value, 0);
  }
}

const MEMBERS = [0, 1, 2, 3, 4, 5, 6, 7];
const counts = fc.integer({ min: 1, max: 4 });
const polls = fc.array(fc.record({ member: fc.constantFrom(...MEMBERS), more: fc.nat({ max: 9 }) }), { maxLength: 12 });
const stages = fc.array(fc.record({ count: counts, polls }), { minLength: 1, maxLength: 4 });

test.each(["group", "address"])("the sums over shards of each %s continue with another number", (of) => {
  const isSummed = of === "group";
  fc.assert(
    fc.property(counts, polls, stages, fc.constantFrom(...MEMBERS), (first, before, then, left) => {
      const totals = new Map<number, number>();
      const shards = new Shards(first, isSummed);
      const play = (list: typeof before) => {
        for (const { member, more } of list) {
          const total = (totals.get(member) ?? 0) + more;
          if (shards.count(member, total)) totals.set(member, total);
        }
      };
      const verify = () => {
        const all = [...totals.values()].reduce((sum, total) => sum + total, 0);
        expect(shards.sum(`stacks_${of}_sent_total`)).toBe(all);
        expect(shards.sum(`stacks_${of}_size_units_count`)).toBe(3 * all);
        expect(shards.sum(`stacks_${of}_size_units_sum`)).toBe(all);
      };
      try {
        play(before);
        // Its counts stay in the sum of its group, although no shard has it.
        if (isSummed) shards.remove(left);
        verify();
        for (const { count, polls: more } of then) {
          shards.to(count, isSummed);
          verify();
          play(more);
          verify();
        }
      } finally {
        shards.close();
      }
    }),
    { numRuns: 20 },
  );
});

test("refuses files that are not those of all shards, and files that exist", () => {
  const shards = new Shards(2, true);
  shards.close();
  const [first = "", second = ""] = shards.files.map(({ path }) => path);

  expect(() => reshard([first], 3, join(root, "a"), options)).toThrow(/one of 2 shards, and the number of files is 1/);
  expect(() => reshard([first, first], 3, join(root, "a"), options)).toThrow(/the state of the same shard as/);
  reshard([first, second], 1, join(root, "b"), options);
  expect(() => reshard([first, second], 1, join(root, "b"), options)).toThrow(/exists, and is not overwritten/);
});
