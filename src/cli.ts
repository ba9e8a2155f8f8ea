// The commands. Everything of the process (arguments, environment, streams, signals) comes in as `Io`.
import { readFileSync } from "node:fs";
import { Command, CommanderError, Option } from "commander";
import type { App } from "./app.ts";
import type { Config } from "./config/config.ts";
import type { Loaded } from "./config/load.ts";
import type { Store } from "./poll/store.ts";
import type { StoreError } from "./poll/store-error.ts";

/** What a command needs of the process it runs in. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Resolves when somebody asks the process to stop. */
  readonly stopped: Promise<void>;
  /** Starts the simulated chain as a process of its own. */
  readonly startSimulator: (args: readonly string[]) => Promise<Simulated>;
}

/** A simulated chain that listens. */
export interface Simulated {
  readonly url: string;
  /** Who on it is worth watching: entries of a configuration. */
  readonly watch: { readonly addresses: readonly object[]; readonly contracts: readonly object[] };
  stop(): void;
}

interface Flags {
  readonly config?: string;
  readonly listen?: string;
  readonly logLevel?: string;
  readonly logFormat?: string;
  readonly resetState?: boolean;
}

/** A mistake that is told and needs no stack trace. */
class Refused extends Error {}

/** A configuration, and a way to load it again: its text stays, the files that it names are read anew. */
interface Checked {
  readonly config: Config;
  readonly reload: () => Promise<Loaded>;
}

/** Reads and checks the configuration; refuses with every mistake in it. */
async function load({ config: file, resetState, ...flags }: Flags, io: Io): Promise<Checked> {
  return checked(file === undefined ? undefined : readBytes(file), file, flags, io.env);
}

async function checked(
  text: Uint8Array | string | undefined,
  file: string | undefined,
  flags: Flags,
  env: Io["env"],
): Promise<Checked> {
  const [{ loadConfig }, { formatMistakes }, { collectors }] = await Promise.all([
    import("./config/load.ts"),
    import("./config/mistakes.ts"),
    import("./collectors/index.ts"),
  ]);
  const reload = () => loadConfig({ text, file, env, readFile: (path) => readFileSync(path), collectors, flags });
  const loaded = await reload();
  if (!loaded.ok) throw new Refused(formatMistakes(loaded.mistakes));
  return { config: loaded.config, reload };
}

function readBytes(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new Refused(`${file}: cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}

async function createApp({ config, reload }: Checked, io: Io, store?: Store): Promise<App> {
  const [{ App }, { createLogger }, { systemClock }, { Redactor, secretsOf }] = await Promise.all([
    import("./app.ts"),
    import("./log.ts"),
    import("./api/clock.ts"),
    import("./config/secret.ts"),
  ]);
  const redactor = new Redactor(config.networks.flatMap(secretsOf));
  const log = await createLogger({ ...config.log, mask: (text) => redactor.mask(text), write: io.err });
  return new App({ config, reload, redactor, log, version: io.version, clock: systemClock, store });
}

/** Opens the state file; refuses with what can be done when it cannot be used. */
async function openStore(path: string, isReset: boolean, io: Io): Promise<Store> {
  const { setAside, Store } = await import("./poll/store.ts");
  const kept = isReset ? setAside(path, Date.now()) : undefined;
  if (kept !== undefined) io.err(`the state file was put aside: ${kept}\n`);
  return new Store(path);
}

// By name: its class comes with SQLite, which whoever keeps nothing need not load.
const isStoreError = (error: unknown): error is StoreError => error instanceof Error && error.name === "StoreError";

const STATE_ADVICE = `What can be done: start once with --reset-state, which keeps the file under another name and counts anew; set
state.path to another file; or set \`state: memory\`, with which counters begin anew at every start.`;

async function serve(
  checked: Checked,
  io: Io,
  { resetState = false, onListening }: { resetState?: boolean; onListening?: (url: string) => void } = {},
): Promise<void> {
  const { config } = checked;
  if (resetState && config.statePath === undefined)
    throw new Refused("--reset-state: with state: memory there is no state file");
  const app = await (config.statePath === undefined
    ? createApp(checked, io)
    : openStore(config.statePath, resetState, io).then((store) => createApp(checked, io, store))
  ).catch((error: unknown) => {
    if (!isStoreError(error)) throw error;
    throw new Refused(error.isInUse ? error.message : `${error.message}\n${STATE_ADVICE}`);
  });
  const { address, port, family } = await app.start().catch((error: unknown) => {
    throw new Refused(`cannot listen: ${error instanceof Error ? error.message : error}`);
  });
  const host = family === "IPv6" ? `[${address}]` : address;
  app.log.info({ address: `${host}:${port}`, networks: config.networks.map(({ name }) => name) }, "listening");
  onListening?.(`http://${["0.0.0.0", "[::]"].includes(host) ? "127.0.0.1" : host}:${port}`);
  await io.stopped;
  app.log.info({}, "stopping");
  await app.stop();
  app.log.info({}, "stopped");
}

async function once(flags: Flags, io: Io): Promise<number> {
  const app = await createApp(await load(flags, io), io);
  const polled = await Promise.race([app.pollOnce(), io.stopped]);
  if (polled !== undefined) io.out((await app.page.body("classic", false)).body.toString());
  await app.stop();
  if (polled === undefined) throw new Refused("stopped before everything was polled");
  return polled.length === 0 ? 0 : 1;
}

async function check(flags: Flags, io: Io): Promise<number> {
  const { config } = await load(flags, io);
  io.out(`${flags.config ?? "the default configuration"} is valid: ${describe(config)}\n`);
  return 0;
}

function describe(config: Config): string {
  return config.networks
    .map(
      ({ name, url, collectors }) =>
        `${name} at ${new URL(url).origin} (${collectors.map((collector) => collector.name).join(", ") || "nothing enabled"})`,
    )
    .join("; ");
}

async function plan(flags: Flags, io: Io): Promise<number> {
  const [{ config }, { formatPlan, planOf }] = await Promise.all([load(flags, io), import("./plan.ts")]);
  const planned = planOf(config);
  io.out(`${formatPlan(planned)}\n`);
  return planned.seriesFit && planned.networks.every(({ misfits }) => misfits.length === 0) ? 0 : 1;
}

// Fast enough to watch, and within a budget all the same: the demo shows the exporter as it is.
const demoConfig = ({ url, watch }: Simulated) => `networks:
  - name: simulated
    url: ${url}
    budget: { per_minute: 120, per_month: unlimited }
    addresses: ${JSON.stringify(watch.addresses)}
    contracts: ${JSON.stringify(watch.contracts)}
collectors:
  fees: { every: 5s, timeout: 4s }
  mempool: { every: 5s, timeout: 4s }
  blocks: { every: 10s, timeout: 8s }
  addresses: { every: 20s }
  contracts: { every: 20s }
`;

async function demo(flags: Flags & { readonly seed: string }, io: Io): Promise<number> {
  const simulator = await io.startSimulator(["--seed", flags.seed, "--random-events"]);
  try {
    const { listen = "127.0.0.1:10789", logFormat = "pretty", logLevel } = flags;
    const configured = await checked(
      demoConfig(simulator),
      "demo",
      { listen, logFormat, ...(logLevel && { logLevel }) },
      {},
    );
    const onListening = (url: string) => {
      io.out(`A simulated Stacks chain answers at   ${simulator.url}/_sim/\n`);
      io.out(`The exporter polls it and serves      ${url}/metrics\n`);
      io.out(`Make fees spike with                  curl -X POST ${simulator.url}/_sim/spike\n`);
      io.out("Stop with Ctrl+C.\n");
    };
    const kept = { ...configured, config: { ...configured.config, statePath: undefined } };
    await serve(kept, io, { onListening });
  } finally {
    simulator.stop();
  }
  return 0;
}

/** Runs one command; resolves with the exit code. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  let exitCode = 0;
  const program = new Command("stacks-exporter");
  const common = (command: Command, work: (flags: Flags) => Promise<number>) =>
    command
      .addOption(new Option("-c, --config <file>", "configuration file (YAML); without one, mainnet at the public API"))
      .addOption(new Option("-l, --listen <address>", "address to serve on, such as 127.0.0.1:10789 or :10789"))
      .addOption(new Option("--log-level <level>", "trace, debug, info, warn, error or silent"))
      .addOption(new Option("--log-format <format>", "json or pretty"))
      .action(async (flags: Flags) => {
        exitCode = await work(flags);
      });
  program
    .description(
      "Prometheus exporter for the Stacks blockchain API: fees, mempool, blocks, addresses and contracts, polled within a request budget.",
    )
    .version(io.version, "-V, --version")
    .addHelpText("after", "\nOptions of each command, such as --config and --listen: stacks-exporter COMMAND --help")
    .exitOverride()
    .configureOutput({ writeOut: io.out, writeErr: io.err });
  common(
    program
      .command("serve", { isDefault: true })
      .description("poll and serve /metrics (the default)")
      .addOption(new Option("--reset-state", "put the state file aside and count anew")),
    async (flags) => {
      await serve(await load(flags, io), io, { resetState: flags.resetState === true });
      return 0;
    },
  );
  common(
    program.command("once").description("poll everything once, print the page, exit 1 if a collector failed"),
    (flags) => once(flags, io),
  );
  common(
    program.command("check").description("validate the configuration; all mistakes at once, exit 1 if there is one"),
    (flags) => check(flags, io),
  );
  common(
    program
      .command("plan")
      .description("requests, series and ages of a configuration, without a request; exit 1 if it does not fit"),
    (flags) => plan(flags, io),
  );
  common(
    program
      .command("demo")
      .description("start a simulated chain and an exporter on it")
      .addOption(new Option("--seed <number>", "seed of the simulated chain").default("1")),
    (flags) => demo(flags as Flags & { seed: string }, io),
  );
  try {
    await program.parseAsync([...argv], { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (!(error instanceof Refused)) throw error;
    io.err(`${error.message}\n`);
    return 1;
  }
}
