// A program writes the watch list while the exporter starts, which checks its state file for seconds.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { startApiServer } from "./support/api-server.ts";
import { createApp, onlyCollectors } from "./support/app.ts";
import { FakeClock, settle } from "./support/fake-clock.ts";
import { ModelWorld } from "./support/model-world.ts";

test("a watch list that changes between its first reading and the first look at it is read again", async () => {
  const world = new ModelWorld();
  world.mine([1, 1, 1]);
  await using api = await startApiServer((url, operation) => world.respond(url, operation));
  const folder = mkdtempSync(join(tmpdir(), "stacks-exporter-list-"));
  const list = join(folder, "list.csv");
  writeFileSync(list, "address,name\n");
  const text = `networks: [{ name: m, url: "${api.url}", address_files: ["${list}"] }]
collectors: ${onlyCollectors({ addresses: {}, blocks: {} })}
`;
  const clock = new FakeClock(world.now);
  const app = await createApp(text, undefined, { readFile: () => readFileSync(list, "utf8"), clock });
  writeFileSync(list, "address,name\nSP3FBR2AGK5H9QBDH3EEN6DF8EK8JY7RX8QJ5SVTE,a\n");
  await app.start();
  const targets = () => app.tasks.map(({ target }) => target.watched?.name);
  // Looking at a file takes real time.
  while (!targets().includes("a")) {
    await clock.advance(1000);
    await settle();
  }
  await app.stop();
  rmSync(folder, { recursive: true });
  expect(targets()).toContain("a");
});
