import { execFile, spawn, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { startSimulator } from "../../simulator/server.ts";
import { json, ScriptedServer } from "../api/scripted-server.ts";
import { freeAddress } from "../support/daemon.ts";
import { dataOf } from "../support/data.ts";
import { folderOfTests } from "../support/folder.ts";
import { parseExposition } from "../support/parser.ts";
import { killAll, run, serve, start, until } from "../support/program.ts";

const folder = folderOfTests();

let simulator: Awaited<ReturnType<typeof startSimulator>>;
beforeEach(async () => {
  simulator = await startSimulator({ seed: 1 });
});
afterEach(async () => {
  killAll();
  await simulator.close();
});

function configFile(text: string): string {
  const file = join(folder, "config.yaml");
  writeFileSync(file, text);
  return file;
}

const watching = (more = "") =>
  configFile(
    `networks:\n  - name: simulated\n    url: ${simulator.url}\n    budget: { per_minute: 1000, per_month: unlimited }\n${more}state: memory\n`,
  );

describe("once", () => {
  test("prints the page and ends with 0", async () => {
    const { code, out } = await run(["once", "--config.file", watching()]);

    expect(code).toBe(0);
    const families = parseExposition(out, "classic");
    expect(families.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["stacks_up", "stacks_mempool_transactions", "stacks_chain_block_height"]),
    );
  });

  test("prints the available samples and ends with 1 if a collector failed", async () => {
    simulator.faults.set({ kind: "503", path: "/extended/v2/mempool/fees" });
    const { code, out, err } = await run(["once", "--config.file", watching()]);

    expect(code).toBe(1);
    expect(out).toContain('stacks_exporter_collector_success{network="simulated",collector="fees"} 0');
    expect(out).toContain('stacks_exporter_collector_success{network="simulated",collector="mempool"} 1');
    expect(out).not.toContain("stacks_mempool_fee_priority_microstx{");
    expect(err).toContain("poll failed");
  });

  test("stops at once on SIGINT, with exit code 1", async () => {
    simulator.faults.set({ kind: "slow-headers", seconds: 600 });
    const program = start(["once", "--config.file", watching("collectors: { blocks: { every: 2m, timeout: 2m } }\n")]);
    await until(async () => (simulator.requests.length > 0 ? true : undefined), "a request");
    program.child.kill("SIGINT");

    expect(await program.finished).toMatchObject({ code: 1, out: "", err: "the command was stopped\n" });
  });
});

test("output that cannot be written is an error of one line", async () => {
  const { status, stderr } = spawnSync("sh", ["-c", `"${process.execPath}" src/main.ts check > /dev/full`], {
    encoding: "utf8",
  });

  expect(status).toBe(1);
  expect(stderr).toMatch(/^cannot write the output: ENOSPC.*\n$/);
});

test("a log that cannot be written does not end the exporter", async () => {
  const address = await freeAddress();
  const child = spawn("sh", [
    "-c",
    `exec "${process.execPath}" src/main.ts --config.file "${watching()}" --web.listen-address ${address} 2> /dev/full`,
  ]);
  const ended = new Promise((resolve) => child.once("exit", resolve));
  await until(() => fetch(`http://${address}/-/ready`).then(({ ok }) => ok || undefined), "readiness");
  child.kill("SIGTERM");

  expect(await ended).toBe(0);
});

test("check ends with 1 and prints the plan and the reason when it does not fit, and serve logs the same", async () => {
  const file = configFile(
    `networks: [{ name: m, url: "${simulator.url}", budget: { per_minute: 2, per_month: 150000 } }]\ncollectors: { fees: { every: 5s, timeout: 2s } }\nstate: memory\n`,
  );
  const { code, out, err } = await run(["check", "--config.file", file]);

  expect(code).toBe(1);
  expect(out).toMatch(/^network m at .*\n {2}collector +targets /);
  expect(err).toMatch(/^network m does not fit its budget; to fit: per_minute >= \d+ and per_month >= \d+.*\n$/);
  const program = start(["--config.file", file, "--web.listen-address", "127.0.0.1:0"]);
  await program.says(/"level":"info".*"listening"/);
  expect(program.text().err).toContain(err.trim());
  program.child.kill("SIGHUP");
  await program.says(/reloaded the configuration/);
  expect(program.text().err.split(err.trim())).toHaveLength(3);
  program.child.kill("SIGTERM");
  expect(await program.finished).toMatchObject({ code: 0 });
});

test("the help names the flags of each command, and a command refuses those of another", async () => {
  const { out } = await run(["--help"]);

  expect(out).toMatch(
    /^ {2}serve +--config\.file, --url, --address, --contract, --reset-state, .*--log\.level, --log\.format$/m,
  );
  expect(out).toMatch(/^ {2}events +--config\.file, --url, .*--last, --network$/m);
  expect(out).toMatch(/^ {2}demo +--seed, --web\.listen-address, /m);
  expect(await run(["rules", "--web.listen-address", ":0"])).toMatchObject({
    code: 2,
    err: "error: unknown option '--web.listen-address'\n",
  });
});

test.each([[["--version"]], [["--help"]], [["serve", "--help"]]])("%j ends with 0", async (args) => {
  const { code, out } = await run(args);

  expect(code).toBe(0);
  expect(out).toMatch(args[0] === "--version" ? /^\d+\.\d+\.\d+\n$/ : /Usage: stacks-exporter/);
});

test.each(dataOf<[string[], string][]>("refused.yaml", import.meta.url))(
  "%j is refused with the reason",
  async (args, message) => {
    const { code, out, err } = await run(args);

    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err.startsWith(message) ? message : err).toBe(message);
  },
);

test.each([[["--config", "--listen"]], [["--config.file", "--web.listen-address"]], [["-c", "-l"]]])(
  "%j name the file and the address",
  async ([config = "", listen = ""]) => {
    const program = start([config, watching(), listen, "127.0.0.1:0"]);
    await program.says(/"address":"127/);
    program.child.kill("SIGTERM");
    expect(await program.finished).toMatchObject({ code: 0 });
  },
);

test("without a file, the flags name the API and what is watched", async () => {
  const [address = ""] = simulator.chain.accounts.users;
  const program = await serve(["--url", simulator.url, "--address", `cold=${address}`]);
  await program.ready();
  const page = await program.page();
  expect(page).toContain('stacks_up{network="mainnet"} 1');
  expect(page).toContain(`stacks_address_info{network="mainnet",name="cold",address="${address}"`);
  expect(await program.stop()).toMatchObject({ code: 0, signal: null });
  expect(program.text().err).toContain('"stopped"');
});

test("reports that it cannot listen, and ends with 1", async () => {
  const { port } = new URL(simulator.url);
  const { code, err } = await run(["--config.file", watching(), "--web.listen-address", `127.0.0.1:${port}`]);

  expect(code).toBe(1);
  expect(err).toContain("cannot listen: listen EADDRINUSE");
});

test("a planted secret is sent, and shown nowhere", async () => {
  const secret = "s3cr3t-Value+/=&%41";
  // The worst case: an API that repeats the key in its errors.
  const body = { error: `bad key ${secret}`, message: `key ${encodeURIComponent(secret)} refused` };
  const api = await ScriptedServer.start(json(body, 401));
  const network = `{ name: m, url: "${api.url}", api_key: "\${PLANTED}" }`;
  const file = configFile(`networks: [${network}]\nstate: memory\n`);
  const program = await serve(["--config.file", file, "--log.level", "trace"], { PLANTED: secret });
  await program.says(/"collector":"blocks".*poll failed/);
  const pages = await Promise.all(["/metrics", "/-/ready", "/", "/api/v1/status", "/nothing"].map(program.page));
  const { stdout: processes } = await promisify(execFile)("ps", ["-o", "args=", "-p", String(program.child.pid)]);
  const { out, err } = await program.stop();
  await api.close();

  expect(new Set(api.seen.map(({ headers }) => headers["x-api-key"]))).toEqual(new Set([secret]));
  for (const text of [...pages, out, err, processes]) {
    for (const form of [secret, encodeURIComponent(secret), Buffer.from(secret).toString("base64")]) {
      expect(text).not.toContain(form);
    }
  }
  for (const text of [pages[1], err]) expect(text).toContain("***");
});

test("the demo prints its addresses, and ends its simulated chain with itself", async () => {
  const program = start(["demo", "--web.listen-address", "127.0.0.1:0"]);
  const [, simulated] = await program.says(/(http:\S+)\/_sim\//);
  const [, exporter] = await program.says(/(http:\S+)\/metrics/);
  const page = await until(async () => {
    const text = await fetch(`${exporter}/metrics`).then((response) => response.text());
    // Targets are polled in turn, so the watched ones appear one after the other.
    const awaited = [
      "stacks_chain_block_height{",
      "stacks_mempool_transactions{",
      'stacks_address_info{network="simulated",name="treasury"',
      'stacks_contract_info{network="simulated",name="event-logger"',
    ];
    return awaited.every((part) => text.includes(part)) ? text : undefined;
  }, "a complete page");
  expect(page).toContain('stacks_up{network="simulated"} 1');
  expect(page).toMatch(
    /stacks_address_info\{network="simulated",name="treasury",address="SP\w+",group="dao",kind="account"\} 1/,
  );
  expect(page).toMatch(
    /stacks_contract_info\{network="simulated",name="event-logger",contract_id="SP\w+\.event-logger",group="app"\} 1/,
  );
  program.child.kill("SIGINT");

  expect(await program.finished).toMatchObject({ code: 0 });
  await until(
    async () =>
      fetch(`${simulated}/extended`).then(
        () => undefined,
        () => true,
      ),
    "the end of the simulator",
  );
});
