import { describe, expect, test } from "@jest/globals";
import { collectors as realCollectors } from "../../src/collectors/index.ts";
import { warningsOf } from "../../src/config/warnings.ts";
import { configOf } from "./fixture.ts";

describe("a limit of an address without effect", () => {
  const A = "SP000000000000000000002Q6VF78";
  const limited = async (limits: string, collectors: string) =>
    warningsOf(
      await configOf(
        `networks: [{ name: m, url: "https://api.example", addresses: [{ address: ${A}, ${limits} }] }]\ncollectors: { addresses: { ${collectors} } }\n`,
        { collectors: realCollectors },
      ),
    );

  test.each(["max_outflow: { stx: 5 STX }", "silent_after: 2h"])("is warned of: %s", async (limits) => {
    expect(await limited(limits, "enabled: false")).toEqual([
      "network m: the collector addresses is off: max_outflow and silent_after have no effect",
    ]);
    expect(await limited(limits, "")).toEqual([]);
  });

  test("is warned of where transfers are not read", async () => {
    expect(await limited('max_outflow: { sbtc: "1" }', "transfers: false")).toEqual([
      "network m: the collector addresses reads no transfers: max_outflow of tokens has no effect",
    ]);
    expect(await limited("max_outflow: { stx: 5 STX }", "transfers: false")).toEqual([]);
    expect(await limited('max_outflow: { sbtc: "1" }', "")).toEqual([]);
  });

  test("is none for a minimum, which another collector reads", async () => {
    expect(await limited("min_balance: { stx: 5 STX }", "enabled: false")).toEqual([]);
  });
});

describe("a group that is exported as sums", () => {
  const A = "SP000000000000000000002Q6VF78";
  const warned = async (limits: string) =>
    warningsOf(
      await configOf(
        `networks: [{ name: m, url: "https://api.example", groups: [{ name: deposits, export: group }], addresses: [{ address: ${A}, name: a, group: deposits, ${limits} }] }]\n`,
        { collectors: realCollectors },
      ),
    );

  test("leaves limits of its addresses without effect", async () => {
    expect(await warned("")).toEqual([]);
    expect(await warned("silent_after: 2h")).toEqual([
      "network m: min_balance, max_outflow and silent_after have no effect on addresses of a group with export: group (a)",
    ]);
  });
});
