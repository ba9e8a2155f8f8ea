import { expect, test } from "@jest/globals";
import { renewalsOf } from "../../../src/collectors/blocks/families.ts";

const row = (height: number, cause?: string) => ({ height, cause });
const all = (height: number) => ({
  read_count: height,
  read_length: height,
  runtime: height,
  write_count: height,
  write_length: height,
});

test.each([
  ["a new tenure renews the whole budget", [row(9), row(7, "block_found"), row(6), row(3, "extended")], all(7)],
  ["a full extend does, too", [row(9), row(8, "extended"), row(7, "block_found")], all(8)],
  [
    "an extend of one dimension renews that one",
    [row(9, "extended_read_count"), row(8, "extended_read_length"), row(5, "extended_read_count"), row(4, "extended")],
    { ...all(4), read_count: 9, read_length: 8 },
  ],
  ["renewals that are not listed are unknown", [row(9), row(8, "extended_runtime"), row(2)], { runtime: 8 }],
  [
    "nothing is known below an unknown cause",
    [row(9, "extended_runtime"), row(8, "melted"), row(7, "extended")],
    { runtime: 9 },
  ],
  ["those above the newest known block do not count yet", [row(11, "extended"), row(8, "block_found")], all(8)],
  ["without transactions nothing is known", [], {}],
])("%s", (_, rows, expected) => {
  expect(renewalsOf(rows, 10)).toEqual(expected);
});
