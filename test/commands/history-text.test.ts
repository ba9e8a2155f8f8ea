import { expect, test } from "@jest/globals";
import { formatCommands, formatEstimate, sizeText } from "../../src/commands/history-text.ts";
import { pastsOf } from "../../src/history/pasts.ts";
import { configOf } from "./fixture.ts";

test.each([
  [0, "0 bytes"],
  [999, "999 bytes"],
  [1000, "1 kB"],
  [1_234_567, "1.23 MB"],
  [999_700_000, "1000 MB"],
  [3.4e9, "3.4 GB"],
  [5e15, "5000 TB"],
])("%d bytes are %s", (bytes, text) => {
  expect(sizeText(bytes)).toBe(text);
});

const HOUR = 3600;
const SINCE = Date.parse("2026-08-24T00:00:00Z") / 1000;

/** The estimate for the blocks of some hours, of which each has 12 requests. */
async function estimateOf(hours: number, budget: object) {
  const network = { name: "m", url: "https://m", budget };
  const config = await configOf(JSON.stringify({ networks: [network], collectors: { blocks: {} } }));
  const [networkConfig] = config.networks;
  if (networkConfig === undefined) throw new Error("there is no network");
  const pasts = await pastsOf(networkConfig, ["blocks"]);
  const range = { since: SINCE, until: SINCE + hours * HOUR };
  return formatEstimate(config, networkConfig, pasts, { range, step: 240 });
}

test.each([
  [1, 12, "1 minute with 12 a minute"],
  [10, 12, "10 minutes with 12 a minute"],
  [119, 12, "119 minutes with 12 a minute"],
  [120, 12, "2 hours with 12 a minute"],
  [24 * 30, 12, "12 hours with 12 a minute"],
  [24 * 300, 12, "5 days with 12 a minute"],
])("the blocks of %d hours, with %d requests a minute: %s", async (hours, perMinute, text) => {
  const lines = await estimateOf(hours, { per_minute: perMinute, per_month: "unlimited" });

  const requests = (hours * 12).toLocaleString("en");
  expect(lines).toContain(`requests: about ${requests}; ${text}, if nothing else uses them`);
});

test("the limit of the month is named", async () => {
  const lines = await estimateOf(24, { per_minute: 100, per_month: 200_000 });

  expect(lines[0]).toBe("history of m from 2026-08-24T00:00Z to 2026-08-25T00:00Z, a sample every 240 s");
  expect(lines.join("\n")).toMatch(/with 100 a minute and 200,000 a month, if nothing else uses them$/m);
});

test("a folder is quoted for the shell", () => {
  const range = { since: SINCE, until: SINCE + HOUR };
  expect(formatCommands("/data/history", range)[1]).toBe("for file in /data/history/*.om; do");
  expect(formatCommands("/data/it's a folder", range)[1]).toBe("for file in '/data/it'\\''s a folder'/*.om; do");
});
