import { expect, test } from "@jest/globals";
import { NOTHING, withRows } from "../../../src/collectors/waiting/state.ts";

test("a dropped transaction that the list of its sender shows again waits if it has a new time of receipt", () => {
  const before = { ...NOTHING, ended: { "0x1": { at: 5_000_000, as: "dropped" as const } } };
  const isKnown = (receivedAt: number, now: number) => {
    const row = {
      id: "0x1",
      sender: "SP1",
      nonce: 3,
      receiver: undefined,
      fee: 400,
      type: "token_transfer",
      receivedAt,
    };
    return withRows(before, { rows: [row], isWhole: true }, "SP1", now).known.length > 0;
  };

  expect([isKnown(5001, 5_060_000), isKnown(5000, 5_060_000), isKnown(5000, 8_600_001)]).toEqual([true, false, true]);
});
