import { gzipSync } from "node:zlib";
import { describe, expect, test } from "@jest/globals";
import { z } from "zod";
import { operation } from "../../src/api/operation.ts";
import { decode } from "../../src/api/response.ts";
import { Fixture, failure } from "./fixture.ts";

const schema = z.object({
  tx_ages: z.record(z.string(), z.object({ p25: z.number().nullable() })),
  results: z.array(z.object({ tx: z.object({ fee_rate: z.string().regex(/^\d+$/), status: z.enum(["a", "b"]) }) })),
  tip: z.union([z.null(), z.object({ height: z.int().nonnegative() })]).optional(),
  pair: z.tuple([z.string(), z.number()]).readonly().optional(),
});
const row = (fee_rate: unknown, status: unknown = "a") => ({ tx: { fee_rate, status } });
const list = operation({ name: "list", path: "/list", body: schema });
/** The body, or the message and the differences. */
const decodeText = (text: string) => {
  const drift: string[] = [];
  try {
    return decode(list, Buffer.from(text), undefined, (field, kind) => drift.push(`${field} ${kind}`));
  } catch (error) {
    return { message: String(error), drift };
  }
};
const decodeJson = (value: unknown) => decodeText(JSON.stringify(value));

describe("a body", () => {
  test("that matches the schema keeps only the declared fields", () => {
    const result = decodeJson({ tx_ages: { x: { p25: null } }, results: [row("1")], tip: { height: 1 }, more: 1 });

    expect(result).toEqual({ tx_ages: { x: { p25: null } }, results: [row("1")], tip: { height: 1 } });
  });

  test.each<[string, unknown, string, readonly string[]]>([
    [
      "a record",
      { tx_ages: { contract_call: { p25: "1" } }, results: [] },
      "tx_ages.*.p25: Invalid input: expected number, received string",
      ["tx_ages.*.p25 type"],
    ],
    [
      "an array",
      { tx_ages: {}, results: [row("1"), row(null)] },
      "results[].tx.fee_rate: Invalid input: expected string, received null",
      ["results[].tx.fee_rate null"],
    ],
    [
      "a pattern",
      { tx_ages: {}, results: [row("0x")] },
      "results[].tx.fee_rate: Invalid string: must match pattern /^\\d+$/",
      ["results[].tx.fee_rate type"],
    ],
    [
      "an enum",
      { tx_ages: {}, results: [row("1", "c")] },
      'results[].tx.status: Invalid option: expected one of "a"|"b"',
      ["results[].tx.status enum"],
    ],
    ["a union", { tx_ages: {}, results: [], tip: { height: "1" } }, "tip: Invalid input", ["tip type"]],
    [
      "a range",
      { tx_ages: {}, results: [], tip: { height: -1 } },
      "tip.height: Too small: expected number to be >=0",
      ["tip.height type"],
    ],
    [
      "a tuple",
      { tx_ages: {}, results: [], pair: ["a", []] },
      "pair[]: Invalid input: expected number, received array",
      ["pair[] type"],
    ],
    ["its type", [], "body: Invalid input: expected object, received array", ["body type"]],
    [
      "two fields",
      {},
      "tx_ages: Invalid input: expected record, received undefined",
      ["tx_ages missing", "results missing"],
    ],
  ])("that differs from the schema in %s is described by the path of the field", (_, value, message, differences) => {
    expect(decodeJson(value)).toEqual({ message: `ApiError: list: ${message}`, drift: differences });
  });

  test.each(["", "<html>", '{"a":', "nul"])("%p is not JSON", (body) => {
    expect(decodeText(body)).toMatchObject({ message: expect.stringContaining("is not JSON"), drift: [] });
  });
});

describe("a body of a server that sends 200,000 empty rows in 666 bytes", () => {
  const rows = `[${Array(200_000).fill("{}").join()}]`;
  const [open, close] = ["[", "]"].map((bracket) => bracket.repeat(5_000_000));

  test.each([
    [
      "as a list",
      `{"tx_ages":{},"results":${rows}}`,
      "list: results: 200000 items, 50 were requested",
      ["list results type"],
    ],
    ["in a row", `{"tx_ages":{},"results":[${rows}]}`, "list: body has more than 65536 items", []],
    [
      "as members",
      `{"tx_ages":{${Array.from({ length: 100_000 }, (_, key) => `"${key}":{}`).join()}}}`,
      "list: body has more than 65536 items",
      [],
    ],
    ["as lists in lists", `${open}${close}`, "list: too many lists and objects", []],
  ])("%s is refused before it is validated", async (_, body, message, drifts) => {
    const packed = gzipSync(body);
    await using f = await Fixture.start([
      (response) => response.writeHead(200, { "content-encoding": "gzip" }).end(packed),
    ]);
    const before = process.memoryUsage().heapUsed;
    const error = await failure(f.api().get(list, { path: {}, query: { limit: 50 } }));

    expect(error).toMatchObject({ reason: "bad_body", message });
    expect(f.recorder.drifts).toEqual(drifts);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(200e6);
  });

  test("with many wrong rows names the first ones", () => {
    const many = decodeJson({ tx_ages: {}, results: Array(60_000).fill({}) });
    expect(many).toMatchObject({ drift: ["results[].tx missing"] });
  });
});
