// Audits on a page: what a server has invented is counted for a while, reverted, and shown.
import { expect, test } from "@jest/globals";
import { changesOf, ModelExporter } from "../support/model-exporter.ts";

test("a row that a server has invented is reverted by the second audit, and is a mismatch", async () => {
  const names = ["blocks", "contract_calls"] as const;
  await using exporter = await ModelExporter.start({ collectors: { blocks: {}, contract_calls: {} }, families: [] });
  const { world } = exporter;
  const net = () => changesOf(exporter, "contract_calls").net;
  const collector = "contract_calls";
  const mismatches = (kind: string) =>
    exporter.page.value("stacks_exporter_audit_mismatches_total", { collector, kind }) ?? 0;
  const cleanAt = () => exporter.page.value("stacks_exporter_last_clean_audit_timestamp_seconds", { collector });
  const pass = async (hours: number) => {
    world.now += hours * 3_600_000;
    await exporter.poll(names);
  };
  world.mine([1, 1, 1, 1, 1, 1]);
  await exporter.poll(names);
  world.serve({ kind: "lie", invented: 1, omitted: 0, below: 2, factor: 1n });
  world.mine([0]);
  await exporter.poll(names);
  world.serve({ kind: "fresh" });
  world.mine([3, 3, 0, 0, 0]);
  await exporter.poll(names);
  const wrong = net();

  // As many blocks as a fork can replace.
  world.mine(new Array(24).fill(0));
  await exporter.poll(names);
  expect([net(), mismatches("unlisted"), cleanAt()]).toEqual([wrong, 1, undefined]);
  await pass(1);
  expect([net(), mismatches("unlisted"), cleanAt()]).toEqual([wrong - 1n, 1, undefined]);
  await pass(1);
  expect([net(), mismatches("unlisted"), mismatches("uncounted")]).toEqual([wrong - 1n, 1, 0]);
  expect(cleanAt()).toBeCloseTo(world.now / 1000, -2);
});
