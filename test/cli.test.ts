import { expect, test } from "@jest/globals";
import { run } from "../src/cli.ts";
import { runCommand } from "./support/io.ts";

test.each([
  ["reshard", ["--count", "--out"]],
  ["serve", []],
])("the help of %s marks what is required: %j", async (command, required) => {
  const { code, out } = await runCommand((io) => run([command, "--help"], io));

  expect(code).toBe(0);
  // A description can have several lines.
  const options = out.split(/^ {2}(?:-\w, )?(?=--)/m).slice(1);
  const marked = options.filter((option) => /\(required\)\s*$/.test(option)).map((option) => option.split(" ")[0]);
  expect(marked).toEqual(required);
});
