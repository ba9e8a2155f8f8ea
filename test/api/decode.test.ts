import { describe, expect, test } from "@jest/globals";
import { z } from "zod";
import { decode } from "../../src/api/decode.ts";

const shape = z.object({
  tx_ages: z.record(z.string(), z.object({ p25: z.number().nullable() })),
  results: z.array(z.object({ tx: z.object({ fee_rate: z.string().regex(/^\d+$/), status: z.enum(["a", "b"]) }) })),
  tip: z.union([z.null(), z.object({ height: z.int().nonnegative() })]).optional(),
  pair: z.tuple([z.string(), z.number()]).readonly().optional(),
});
const row = (fee_rate: unknown, status: unknown = "a") => ({ tx: { fee_rate, status } });
const read = (value: unknown) => decode(Buffer.from(JSON.stringify(value)), shape);

describe("a body", () => {
  test("of the declared shape loses what is not declared", () => {
    const decoded = read({ tx_ages: { x: { p25: null } }, results: [row("1")], tip: { height: 1 }, more: 1 });

    expect(decoded).toEqual({
      ok: true,
      body: { tx_ages: { x: { p25: null } }, results: [row("1")], tip: { height: 1 } },
    });
  });

  test.each<[string, unknown, string, readonly string[]]>([
    [
      "a record",
      { tx_ages: { contract_call: { p25: "1" } }, results: [] },
      "expected number at tx_ages.contract_call.p25, found string",
      ["tx_ages.*.p25 type"],
    ],
    [
      "a list",
      { tx_ages: {}, results: [row("1"), row(null)] },
      "expected string at results[1].tx.fee_rate, found null",
      ["results[].tx.fee_rate null"],
    ],
    [
      "many rows",
      { tx_ages: {}, results: [row(1), row(2), row(3)] },
      "expected string at results[0].tx.fee_rate, found number",
      ["results[].tx.fee_rate type"],
    ],
    [
      "a pattern",
      { tx_ages: {}, results: [row("0x")] },
      "expected text of the form regex at results[0].tx.fee_rate, found string",
      ["results[].tx.fee_rate type"],
    ],
    [
      "a closed list",
      { tx_ages: {}, results: [row("1", "c")] },
      "expected a or b at results[0].tx.status, found string",
      ["results[].tx.status enum"],
    ],
    [
      "an alternative",
      { tx_ages: {}, results: [], tip: { height: "1" } },
      "expected number at tip.height, found string",
      ["tip.height type"],
    ],
    [
      "a bound",
      { tx_ages: {}, results: [], tip: { height: -1 } },
      "expected number of at least 0 at tip.height, found number",
      ["tip.height type"],
    ],
    [
      "a tuple",
      { tx_ages: {}, results: [], pair: ["a", []] },
      "expected number at pair[1], found array",
      ["pair[] type"],
    ],
    ["its top", [], "expected object at the top of the body, found array", ["body type"]],
    ["two places", {}, "expected record at tx_ages, found nothing", ["tx_ages missing", "results missing"]],
  ])("that differs in %s says where", (_, value, message, differences) => {
    const decoded = read(value);

    if (decoded.ok) throw new Error("is of the shape");
    expect(decoded.message).toBe(message);
    expect(decoded.differences.map(({ field, kind }) => `${field} ${kind}`)).toEqual(differences);
  });

  test.each(["", "<html>", '{"a":', "nul"])("%p is not JSON", (body) => {
    expect(decode(Buffer.from(body), shape)).toMatchObject({ ok: false, differences: [] });
  });
});
