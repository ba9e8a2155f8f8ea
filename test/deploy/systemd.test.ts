// The unit of deploy/systemd: what it promises.
import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { expect, test } from "@jest/globals";
import { describeWith } from "../support/installed.ts";
import { root, textOf } from "./files.ts";

const path = "deploy/systemd/stacks-exporter.service";
const lines = textOf(path)
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"));
const values = (key: string) =>
  lines.filter((line) => line.startsWith(`${key}=`)).map((line) => line.slice(key.length + 1));

test("it starts although the configuration does not fit the budget, which `check` refuses", () => {
  expect(values("ExecStartPre")).toEqual([]);
  expect(values("ExecStart")).toEqual([expect.stringContaining(" serve --config.file ")]);
});

describeWith("systemd-analyze")("with systemd-analyze (Debian: systemd)", () => {
  test("the exposure is below 1.6", () => {
    const args = ["security", "--offline=true", "--threshold=16", resolve(root, path)];
    const { stdout } = spawnSync("systemd-analyze", args, { encoding: "utf8" });

    expect(stdout).toMatch(/exposure level for stacks-exporter\.service: (0\.\d|1\.[0-5]) /);
  });
});
