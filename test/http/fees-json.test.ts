import { expect, test } from "@jest/globals";
import { recommendedFeesJson } from "../../src/http/fees-json.ts";

const estimate = (observations: number, fee: number) => ({ observations, fees: { "10m": fee, "1h": fee - 1 } });

test("each type with an estimate has its own fees; unknown values are absent", () => {
  const types = { all: estimate(30, 500), contract_call: estimate(20, 700) };
  const report = { network: "n", origin: "https://key.example", now: 100, estimate: { at: 200, competing: 1, types } };
  const known = { ...report, estimate: { ...report.estimate, hasRoom: undefined } };

  const document = recommendedFeesJson(known, (text) => text.replace("key", "***"));

  expect(JSON.parse(JSON.stringify(document))).toEqual({
    fastestFee: 500,
    hourFee: 499,
    observations: 30,
    unit: "microSTX",
    network: "n",
    source: "https://***.example",
    time: "1970-01-01T00:00:00.200Z",
    age_seconds: 0,
    types: { contract_call: { fastestFee: 700, hourFee: 699, observations: 20 } },
  });
});
