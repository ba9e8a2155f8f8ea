// What the state file keeps of a network as a whole, and how all of it is forgotten.
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { Task } from "../../src/collectors/task.ts";
import { durableTask, StateFile } from "../support/state-file.ts";

let file: StateFile;

beforeEach(() => {
  file = new StateFile();
});
afterEach(() => file.remove());

const taskOf = (network: string, key: string): Task => ({ ...durableTask(undefined, key), network });

test("observations of one network are forgotten, those of others and facts are not", () => {
  const store = file.open();
  for (const [network, key] of [
    ["a", "one"],
    ["a", "two"],
    ["b", "one"],
  ] as const) {
    store.save(taskOf(network, key), { key }, 1000);
  }
  store.saveNetwork("a", { firstBlock: "0x01" }, 1000);

  store.forgetNetwork("a", 5000);
  expect(store.facts().lastWriteAt).toBe(5000);
  const later = file.reopen();

  expect(later.load(taskOf("a", "one"))).toBeUndefined();
  expect(later.load(taskOf("a", "two"))).toBeUndefined();
  expect(later.load(taskOf("b", "one"))).toEqual({ key: "one" });
  expect(later.loadNetwork("a")).toEqual({ firstBlock: "0x01" });
});
