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

test("every line is a section or a directive", () => {
  expect(lines.filter((line) => !/^\[(Unit|Service|Install)\]$|^[A-Z]\w+=/.test(line))).toEqual([]);
});

test.each([
  ["DynamicUser", "yes"],
  ["NoNewPrivileges", "yes"],
  ["CapabilityBoundingSet", ""],
  ["AmbientCapabilities", ""],
  ["ProtectSystem", "strict"],
  ["ProtectHome", "yes"],
  ["PrivateTmp", "yes"],
  ["PrivateDevices", "yes"],
  ["PrivateUsers", "yes"],
  ["ProtectProc", "invisible"],
  ["ProtectKernelTunables", "yes"],
  ["ProtectKernelModules", "yes"],
  ["ProtectControlGroups", "yes"],
  ["RestrictAddressFamilies", "AF_INET AF_INET6 AF_UNIX"],
  ["RestrictNamespaces", "yes"],
  ["SystemCallArchitectures", "native"],
  ["StateDirectory", "stacks-exporter"],
  ["WorkingDirectory", "/var/lib/stacks-exporter"],
  ["Restart", "on-failure"],
])("%s=%s", (key, value) => {
  expect(values(key)).toEqual([value]);
});

test("system calls are those of a service, less the privileged ones", () => {
  expect(values("SystemCallFilter")).toEqual(["@system-service", "~@privileged @resources"]);
});

test("it starts although the configuration does not fit the budget, which `check` refuses", () => {
  expect(values("ExecStartPre")).toEqual([]);
  expect(values("ExecStart")).toEqual([expect.stringContaining(" serve --config ")]);
});

describeWith("systemd-analyze")("with systemd-analyze (Debian: systemd)", () => {
  test("the exposure is below 1.6", () => {
    const args = ["security", "--offline=true", "--threshold=16", resolve(root, path)];
    const { stdout } = spawnSync("systemd-analyze", args, { encoding: "utf8" });

    expect(stdout).toMatch(/exposure level for stacks-exporter\.service: (0\.\d|1\.[0-5]) /);
  });
});
