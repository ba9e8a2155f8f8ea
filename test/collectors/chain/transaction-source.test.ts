import { expect, test } from "@jest/globals";
import { readPlaceOf } from "../../../src/collectors/transaction.ts";
import { type Canned, cannedApi, captured } from "../../support/canned-api.ts";

const response = (name: string): Canned => {
  const { status, json } = captured(name);
  return status === 200 ? { json } : { status };
};

test.each([
  ["mined", { height: 30, hash: "0xdc49ef7094248468e15b865ca34df4c654c54284ae9d490f98f665c02f984545" }],
  ["orphaned", undefined],
  ["waiting", undefined],
  ["unknown-404", undefined],
])("the block of a transaction (%s)", async (name, block) => {
  const api = cannedApi(() => response(`v3-transaction.${name}`));

  const found = await readPlaceOf(api, "0x1");

  expect(found && { height: found.height, hash: found.hash }).toEqual(block);
});
