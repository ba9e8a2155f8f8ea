import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { loadConfigText } from "../../src/commands/load-config.ts";
import { openSharedBudgets, withSharedBudgets } from "../../src/commands/shared-budgets.ts";
import { turn } from "../support/fake-clock.ts";

let folder: string;
let err: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stacks-exporter-shared-"));
  err = "";
});
afterEach(() => rmSync(folder, { recursive: true }));

const io = {
  err: (text: string) => {
    err += text;
  },
};
const configOf = async (state: string) =>
  (await loadConfigText(`state: ${state}\nnetworks: [{ name: m, url: "http://127.0.0.1:1" }]`, undefined, {}, {}))
    .config;
const configAt = (path: string) => configOf(`{ path: ${JSON.stringify(path)} }`);
const ALONE = /: requests of a running exporter do not count in the budget of this command\n$/;

describe("the budgets of a command", () => {
  test("are in a file next to the state file", async () => {
    const path = join(folder, "of", "state.db");
    const { file } = await openSharedBudgets(await configAt(path), io);
    expect(file?.path).toBe(`${path}.budget`);
    file?.close();
    expect(err).toBe("");
    expect(existsSync(path)).toBe(false);
    expect(statSync(`${path}.budget`).mode & 0o777).toBe(0o600);
  });

  test("cannot be shared without a state file", async () => {
    expect((await openSharedBudgets(await configOf("memory"), io)).file).toBeUndefined();
    expect(err).toMatch(/^state: memory: /);
    expect(err).toMatch(ALONE);
  });

  test("cannot be shared where no state file can be", async () => {
    writeFileSync(join(folder, "file"), "");
    expect((await openSharedBudgets(await configAt(join(folder, "file", "state.db")), io)).file).toBeUndefined();
    expect(err).toMatch(ALONE);
    expect(err.split("\n")).toHaveLength(2);
  });

  test("are refused when the file is there, and cannot be used", async () => {
    mkdirSync(join(folder, "state.db.budget"));
    await expect(openSharedBudgets(await configAt(join(folder, "state.db")), io)).rejects.toThrow(
      /^the budget cannot be shared with a running exporter: state file .*state\.db\.budget: cannot be opened/,
    );
  });

  test("end the command when the file fails, and send nothing", async () => {
    const path = join(folder, "state.db");
    await withSharedBudgets(await configAt(path), io, async ({ file, failed }) => {
      const shared = file?.of("m/primary");
      const database = new DatabaseSync(`${path}.budget`);
      database.exec("DROP TABLE requests");
      database.close();
      expect(shared?.exclusively(() => ({}))).toBe("failed");
      expect(failed.aborted).toBe(false);
      await turn();
      expect(failed.reason.message).toMatch(/^state file .*: no such table/);
    });
  });
});
