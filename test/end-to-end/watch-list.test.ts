// Replaces a watch list file of a running exporter.
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { startSimulator } from "../../simulator/server.ts";
import { folderOfTests } from "../support/folder.ts";
import { serve, until } from "../support/program.ts";

const folder = folderOfTests();

test("a replaced list takes effect; an invalid one is reported and ignored", async () => {
  await using simulator = await startSimulator({ seed: 1 });
  await using ends = new AsyncDisposableStack();
  const [first, second] = simulator.chain.accounts.users as [string, string];
  const put = (text: string) => {
    writeFileSync(join(folder, "new"), text);
    renameSync(join(folder, "new"), join(folder, "list.txt"));
  };
  put(`${first}\n`);
  writeFileSync(
    join(folder, "config.yaml"),
    `state: memory
networks:
  - name: m
    url: ${simulator.url}
    budget: { per_minute: 1000, per_month: unlimited }
    address_files: [list.txt]
collectors: { addresses: { every: 2s, timeout: 2s } }
`,
  );
  const program = await serve(["--config", join(folder, "config.yaml")]);
  ends.defer(async () => void (await program.stop()));
  const watched = async () => {
    const page = await program.page();
    return [...page.matchAll(/^stacks_address_info\{.*address="([^"]+)"/gm)].map(([, principal]) => principal);
  };
  const shows = (...principals: readonly string[]) =>
    until(async () => {
      const found = await watched();
      return JSON.stringify(found.sort()) === JSON.stringify([...principals].sort()) ? true : undefined;
    }, `the series of ${principals.length} addresses`);
  await shows(first);

  put(`${first}\n${second}\n`);
  await shows(first, second);
  put(`${second}\nbroken\n`);
  await program.says(
    /list\.txt:2: address: expected an address of mainnet, or a contract as address\.name, found .{1,2}broken/,
  );
  expect(await watched()).toHaveLength(2);
  put(`${second}\n`);
  await shows(second);
});
