import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { root, textOf, yamlOf } from "./files.ts";

interface Workflow {
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<
    Record<
      string,
      {
        readonly "timeout-minutes"?: number;
        readonly steps: readonly { readonly uses?: string; readonly run?: string }[];
      }
    >
  >;
}

const folder = ".github/workflows";
const names = readdirSync(resolve(root, folder));
const { scripts } = JSON.parse(textOf("package.json")) as { scripts: Readonly<Record<string, string>> };

test("there are workflows for CI and releases", () => {
  expect(names.sort()).toEqual(["ci.yml", "release.yml"]);
});

describe.each(names)("%s", (name) => {
  const { permissions, jobs } = yamlOf<Workflow>(`${folder}/${name}`);
  const steps = Object.values(jobs).flatMap((job) => job.steps);

  test("pins each action by a commit, with its version in a comment", () => {
    const uses = textOf(`${folder}/${name}`)
      .split("\n")
      .filter((line) => /\buses:/.test(line));

    expect(uses).toHaveLength(steps.filter((step) => step.uses !== undefined).length);
    expect(uses.filter((line) => !/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
  });

  test("may only read by default, and every job has an end", () => {
    expect(permissions).toEqual({ contents: "read" });
    expect(Object.values(jobs).filter((job) => job["timeout-minutes"] === undefined)).toEqual([]);
  });

  test("puts no text of an event into a script", () => {
    expect(steps.filter(({ run }) => run?.includes("${{"))).toEqual([]);
  });

  test("runs scripts that exist", () => {
    const called = steps.flatMap(({ run = "" }) => [...run.matchAll(/npm run ([\w:-]+)/g)].map(([, script]) => script));

    expect(called.filter((script) => script === undefined || !(script in scripts))).toEqual([]);
  });
});

test("both workflows use the same version of an action", () => {
  const versions = new Set(
    names.flatMap((name) => textOf(`${folder}/${name}`).match(/[\w-]+\/[\w-]+@[0-9a-f]{40}/g) ?? []),
  );
  const actions = [...versions].map((use) => use.split("@")[0]);

  expect(actions.length).toBeGreaterThan(5);
  expect(new Set(actions).size).toBe(actions.length);
});
