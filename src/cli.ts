// The commands. Everything of the process (arguments, environment, streams, signals) comes in as `Io`.
import { Command, CommanderError, Option } from "commander";
import type { App } from "./app.ts";
import type { Config } from "./config/config.ts";
import type { Loaded } from "./config/load.ts";
import type { StateFileLog } from "./storage/open.ts";
import type { StateFile } from "./storage/state-file.ts";
import type { StateFileError } from "./storage/state-file-error.ts";

/** What a command needs of the process it runs in. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Resolves when somebody asks the process to stop. */
  readonly stopped: Promise<void>;
  /** Calls the listener at every SIGHUP, which ends nothing by itself. */
  readonly onHangUp: (listener: () => void) => void;
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
  return checked(file === undefined ? undefined : await readBytes(file), file, flags, io.env);
}

async function checked(
  text: Uint8Array | string | undefined,
  file: string | undefined,
  flags: Flags,
  env: Io["env"],
): Promise<Checked> {
  const [{ configLoader }, { readRegularFile }, { formatMistakes }, { collectors }] = await Promise.all([
    import("./config/load.ts"),
    import("./config/files.ts"),
    import("./config/mistakes.ts"),
    import("./collectors/index.ts"),
  ]);
  const reload = configLoader({ text, file, env, readFile: readRegularFile, collectors, flags });
  const loaded = await reload();
  if (!loaded.ok) throw new Refused(formatMistakes(loaded.mistakes));
  return { config: loaded.config, reload };
}

async function readBytes(file: string): Promise<Uint8Array> {
  const { MOST_BYTES, readRegularFile, unusable } = await import("./config/files.ts");
  try {
    return await readRegularFile(file, MOST_BYTES.configuration);
  } catch (error) {
    throw new Refused(`${file}: ${unusable(error)}`);
  }
}

async function createApp(
  { config, reload }: Checked,
  io: Io,
  open?: (log: StateFileLog) => Promise<StateFile>,
): Promise<App> {
  const [{ App }, { createLogger }, { systemClock }, { redactorOf }, { warningsOf }] = await Promise.all([
    import("./app.ts"),
    import("./log.ts"),
    import("./api/clock.ts"),
    import("./config/secret.ts"),
    import("./config/warnings.ts"),
  ]);
  const redactor = redactorOf(config.networks.flatMap(({ upstreams }) => upstreams));
  const log = await createLogger({ ...config.log, mask: (text) => redactor.mask(text), write: io.err });
  for (const warning of warningsOf(config)) log.warn({}, warning);
  const store = await open?.(log);
  return new App({ config, reload, log, version: io.version, clock: systemClock, store });
}

/** Opens the state file; refuses with what can be done when it cannot be used. */
async function openStore(path: string, isReset: boolean, io: Io, log: StateFileLog): Promise<StateFile> {
  const [{ StateFile }, { renameFile }, { systemClock }] = await Promise.all([
    import("./storage/state-file.ts"),
    import("./storage/open.ts"),
    import("./api/clock.ts"),
  ]);
  const kept = isReset ? renameFile(path, systemClock.now(), log) : undefined;
  if (kept !== undefined) io.err(`the state file was renamed to ${kept}\n`);
  return new StateFile(path, { log, clock: systemClock });
}

// By name: its class comes with SQLite, which whoever keeps nothing need not load.
const isStateFileError = (error: unknown): error is StateFileError =>
  error instanceof Error && error.name === "StateFileError";

const STATE_ADVICE = `What can be done: start once with --reset-state, which keeps the file under another name and counts anew; set
state.path to another file; or set \`state: memory\`, with which counters begin anew at every start.`;

async function serve(
  checked: Checked,
  io: Io,
  { resetState = false, onListening }: { resetState?: boolean; onListening?: (url: string) => void } = {},
): Promise<void> {
  const { config } = checked;
  const { statePath } = config;
  if (resetState && statePath === undefined)
    throw new Refused("--reset-state: with state: memory there is no state file");
  const open = statePath === undefined ? undefined : (log: StateFileLog) => openStore(statePath, resetState, io, log);
  const app = await createApp(checked, io, open).catch((error: unknown) => {
    if (!isStateFileError(error)) throw error;
    throw new Refused(error.isInUse ? error.message : `${error.message}\n${STATE_ADVICE}`);
  });
  const { address, port, family } = await app.start().catch((error: unknown) => {
    throw new Refused(`cannot listen: ${error instanceof Error ? error.message : error}`);
  });
  const host = family === "IPv6" ? `[${address}]` : address;
  app.log.info({ address: `${host}:${port}`, networks: config.networks.map(({ name }) => name) }, "listening");
  io.onHangUp(() => app.log.warn({}, "SIGHUP is ignored: restart the exporter to load its configuration again"));
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
  const [{ config }, { warningsOf }] = await Promise.all([load(flags, io), import("./config/warnings.ts")]);
  for (const warning of warningsOf(config)) io.err(`warning: ${warning}\n`);
  io.out(`${flags.config ?? "the default configuration"} is valid: ${describe(config)}\n`);
  return 0;
}

function describe(config: Config): string {
  return config.networks
    .map(
      ({ name, upstreams, collectors }) =>
        `${name} at ${upstreams.map(({ url }) => new URL(url).origin).join(", ")} (${collectors.map((collector) => collector.name).join(", ") || "nothing enabled"})`,
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
  blocks: { every: 10s, timeout: 8s, blocks_per_minute: 600 }
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
    // Ends with its terminal.
    const closed = new Promise<void>((resolve) => io.onHangUp(resolve));
    const stopped = Promise.race([io.stopped, closed]);
    await serve(kept, { ...io, stopped, onHangUp: () => undefined }, { onListening });
  } finally {
    simulator.stop();
  }
  return 0;
}

// `serve` is the default, so a mistyped command, or one after its flags, is an argument of it.
function refuseArguments(program: Command, command: Command): void {
  const [word] = command.args;
  if (word === undefined) return;
  const names = program.commands.map((known) => known.name());
  if (program.args[0] === command.name()) program.error(`error: ${command.name()} has no arguments, found '${word}'`);
  if (names.includes(word)) program.error(`error: the command has to come first: stacks-exporter ${word} …`);
  program.error(`error: unknown command '${word}'; the commands are ${names.join(", ")}`);
}

/** Runs one command; resolves with the exit code. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  let exitCode = 0;
  const program = new Command("stacks-exporter");
  const common = (command: Command, work: (flags: Flags) => Promise<number>) =>
    command
      .addOption(new Option("-c, --config <file>", "configuration file (YAML); without one, mainnet at the public API"))
      .allowExcessArguments()
      .hook("preAction", (_, action) => refuseArguments(program, action))
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
  const demoCommand = common(
    program
      .command("demo")
      .description("start a simulated chain and an exporter on it")
      .addOption(new Option("--seed <number>", "seed of the simulated chain").default("1")),
    (flags) => {
      if (flags.config !== undefined) {
        program.error(
          "error: demo has its own configuration and reads no file; to use one: stacks-exporter serve --config FILE",
        );
      }
      return demo(flags as Flags & { seed: string }, io);
    },
  );
  demoCommand.options.find(({ long }) => long === "--config")?.hideHelp();
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
