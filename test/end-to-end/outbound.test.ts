// The program behind a forward proxy with a password.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "@jest/globals";
import { startSimulator } from "../../simulator/server.ts";
import { folderOfTests } from "../support/folder.ts";
import { ForwardProxy } from "../support/forward-proxy.ts";
import { killAll, serve } from "../support/program.ts";

const folder = folderOfTests();
afterEach(() => killAll());

test("polls through a proxy of the environment, and never shows its password", async () => {
  await using simulator = await startSimulator({ seed: 1 });
  await using proxy = await ForwardProxy.start("user:planted-password");
  // This machine is never reached through a proxy of the environment.
  const upstream = simulator.url.replace("127.0.0.1", "simulator.example");
  const file = join(folder, "config.yaml");
  const budget = "budget: { per_minute: 600, per_month: unlimited }";
  writeFileSync(file, `state: memory\nnetworks: [{ name: m, url: "${upstream}", ${budget} }]\n`);
  const program = await serve(["--config", file, "--log-level", "trace"], { HTTP_PROXY: proxy.url });
  await program.ready();
  const pages = await Promise.all(["/", "/metrics", "/api/v1/status"].map(program.page));
  const { err } = await program.stop();

  expect(new Set(proxy.seen.map((line) => line.replace(/(:\d+)\/.*/, "$1")))).toEqual(new Set([`GET ${upstream}`]));
  for (const text of [...pages, err]) {
    expect(text).not.toContain("planted-password");
    expect(text).not.toContain(Buffer.from("user:planted-password").toString("base64"));
  }
});

test("the log shows the configuration at start", async () => {
  await using simulator = await startSimulator({ seed: 1 });
  const file = join(folder, "config.yaml");
  writeFileSync(file, `state: memory\nnetworks: [{ name: m, url: "${simulator.url}/planted-token-of-a-path" }]\n`);
  const { err } = await (await serve(["--config", file])).stop();
  const lines = err
    .trim()
    .split("\n")
    .map((text) => JSON.parse(text) as { msg: string });

  expect(lines.find(({ msg }) => msg === "polling")).toMatchObject({
    network: "m",
    upstream: simulator.url,
    requestsPerMinute: expect.any(Number),
    budget: { perMinute: 25 },
  });
  expect(lines.find(({ msg }) => msg === "listening")).toMatchObject({
    address: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
    tls: false,
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    networks: ["m"],
  });
  expect(err).not.toContain("planted");
});
