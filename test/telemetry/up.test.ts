import { expect, test } from "@jest/globals";
import { startApiServer } from "../support/api-server.ts";
import { captured } from "../support/canned-api.ts";
import { Exporter, NETWORK } from "../support/exporter.ts";

const PRINCIPAL = "SP2EE91RRJWEH74FPB4132P0A3C3NG1XBBTBQ6Q3Z";

test("while every request is refused, a collector that needs none does not succeed either", async () => {
  let isRefused = false;
  await using api = await startApiServer((_, operation) => {
    if (isRefused) return { status: 401 };
    if (operation === "block") return { json: { height: 1, hash: `0x${"1".repeat(64)}` } };
    return {
      json: captured(operation === "principal_mempool" ? "v3-principal-mempool.unused" : "v3-nonces.unused").json,
    };
  });
  const network = { addresses: [{ address: PRINCIPAL, name: "p", waiting: true }] };
  await using exporter = await Exporter.start({ api, network, collectors: { fees: {}, mempool: {}, waiting: {} } });
  await exporter.poll("waiting");
  isRefused = true;
  await exporter.pass(60);
  for (const collector of ["fees", "mempool", "fees", "mempool", "waiting"]) await exporter.poll(collector);

  const page = await exporter.page();
  expect(exporter.failures.map((failure) => failure.split(" ")[1])).not.toContain("bug");
  expect(page.value("stacks_exporter_collector_success", { collector: "waiting" })).toBe(0);
  expect(page.value("stacks_up", { network: NETWORK })).toBe(0);
  expect(page.sum("stacks_exporter_collector_failures_total", { reason: "unauthorized" })).toBe(5n);
  expect(api.requests.length).toBeLessThan(8);
});
