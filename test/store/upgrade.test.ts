// State files of earlier versions. `states/DAY.db.gz` was written by the version of that day, which watched what
// `DAY.json` says on a simulated chain; `DAY.prom` has the counters of its last page, of families that still exist.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "@jest/globals";
import { Exporter } from "../support/exporter.ts";
import { folderOfTests } from "../support/folder.ts";
import { Page } from "../support/page.ts";

const states = new URL("states/", import.meta.url);
const read = (name: string) => readFileSync(new URL(name, states));
const days = readdirSync(states).flatMap((name) => /^(.*)\.db\.gz$/.exec(name)?.[1] ?? []);
const folder = folderOfTests();

const COUNTING = ["blocks", "transactions", "mempool_transactions", "addresses", "contracts", "contract_calls"];
const OTHERS = ["balances", "waiting"];

test.each(days)("the first page has every counter of the state file of %s", async (day) => {
  const state = join(folder, `${day}.db`);
  writeFileSync(state, gunzipSync(read(`${day}.db.gz`)));
  const before = new Page(read(`${day}.prom`).toString());
  await using exporter = await Exporter.start({
    api: { url: "http://127.0.0.1:1", requests: [] },
    network: JSON.parse(read(`${day}.json`).toString()),
    collectors: Object.fromEntries([...COUNTING, ...OTHERS].map((name) => [name, {}])),
    state,
  });
  const page = await exporter.page();

  expect(before.all.filter(({ value }) => value > 0).length).toBeGreaterThan(30);
  const differing = before.all.filter(
    ({ name, labels, value }) => page.value(name, Object.fromEntries(labels)) !== value,
  );
  expect(differing).toEqual([]);
  expect(page.sum("stacks_exporter_state_gaps_total")).toBe(0n);
  expect(exporter.messages("error")).toEqual([]);
});
