// The command line: options, help, exit codes. Commands are loaded when they run.
import { Command, CommanderError, Option } from "commander";
import { CommandError, type Io } from "./commands/io.ts";
import type { Flags } from "./commands/load-config.ts";

type Run = (flags: Flags, words: readonly string[]) => Promise<number>;

const repeatable = (flags: string, description: string) =>
  new Option(flags, description).argParser((value: string, before: readonly string[] = []) => [...before, value]);

/** The options of commands that read a configuration. */
const CONFIG = [
  new Option("-c, --config.file <file>", "configuration file (YAML), instead of the next three").conflicts([
    "url",
    "address",
    "contract",
  ]),
  new Option("--url <url>", "the API; without it, the public one of mainnet. The variable STACKS_API_KEY has its key"),
  repeatable("--address <name=principal>", "an address to watch; repeatable"),
  repeatable("--contract <name=contract>", "a contract to watch, as address.name; repeatable"),
];

const EVENTS = [
  ...CONFIG,
  new Option("--last <number>", "how many of the newest events are read, at most 500").default("50"),
  new Option("--network <name>", "a network of the configuration"),
];

const LOG = [
  new Option("--log.level <level>", "minimum level").choices(["trace", "debug", "info", "warn", "error", "silent"]),
  new Option("--log.format <format>", "one object per line, or text for people").choices(["json", "pretty"]),
];

/** The options of commands that serve. */
const SERVER = [
  repeatable("-l, --web.listen-address <address>", "address such as 127.0.0.1:10789, :10789 or unix:/path; repeatable"),
  new Option("--web.config.file <file>", "TLS, users and headers, in the format of exporter-toolkit"),
  new Option("--web.probe-address <address>", "serves /-/healthy and /-/ready alone, without TLS"),
  ...LOG,
];

/** Runs one command; resolves with the exit code. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  let exitCode = 0;
  const program = new Command("stacks-exporter")
    .description(
      "Prometheus exporter for the Stacks blockchain API: fees, mempool, blocks, addresses and contracts, " +
        "polled within a request budget.",
    )
    .version(io.version, "-V, --version")
    .addHelpText("after", ({ command }) => `\n${optionsByCommand(command)}`)
    .exitOverride()
    .configureOutput({ writeOut: io.out, writeErr: io.err });
  const add = (name: string, description: string, options: readonly Option[], runCommand: Run) => {
    const command = program
      .command(name, { isDefault: name === "serve" })
      .description(description)
      .allowExcessArguments()
      .hook("preAction", (_, action) => refuseArguments(program, action))
      .action(async (...given) => {
        const ran = given.at(-1) as Command;
        exitCode = await runCommand(ran.opts(), ran.args);
      });
    for (const option of options) command.addOption(option);
    return command;
  };
  const reset = new Option("--reset-state", "rename the state file and count from zero");
  add("serve", "poll and serve /metrics (the default)", [...CONFIG, reset, ...SERVER], async (flags) =>
    (await import("./commands/serve.ts")).serve(flags, io),
  );
  const once = "poll everything once, print the page, exit 1 if a collector failed";
  add("once", once, [...CONFIG, ...LOG], async (flags) => (await import("./commands/once.ts")).once(flags, io));
  const check =
    "validate the configuration, and print its requests, series and ages; exit 1 if it is wrong or does not fit";
  // With the options of `serve`, so that its command line can be checked.
  add("check", check, [...CONFIG, ...SERVER], async (flags) =>
    (await import("./commands/check.ts")).check(flags, io),
  ).alias("plan");
  add(
    "events",
    "the shapes of a contract's newest events, to write rules for them",
    EVENTS,
    async (flags, [contract = ""]) => (await import("./commands/events.ts")).events(contract, flags, io),
  ).argument("<contract>", "the contract, as address.name");
  add("try", "what the event rules of a configuration make of the newest events, and why", EVENTS, async (flags) =>
    (await import("./commands/try.ts")).tryRules(flags, io),
  );
  const rules = "write the recording rules and alerts, with labels of the watch lists for routing";
  add("rules", rules, CONFIG, async (flags) => (await import("./commands/rules.ts")).rules(flags, io))
    .option("-o, --output <file>", "file to write; without it, the rules are printed")
    .option("--values <file>", "values (YAML): thresholds, disabled alerts, labels, links")
    .option("--boards <folder>", "folder to write the Grafana dashboards to");
  add("board", "write a Grafana dashboard for the event rules of a configuration", CONFIG, async (flags) =>
    (await import("./commands/board.ts")).board(flags, io),
  ).option("-o, --output <file>", "file to write; without it, the dashboard is printed");
  const demo = [
    new Option("--seed <number>", "seed of the simulated chain").default("1"),
    new Option("-c, --config.file <file>").hideHelp(),
  ];
  add("demo", "start a simulated chain and an exporter on it", [...demo, ...SERVER], async (flags) => {
    if (flags["config.file"] !== undefined)
      program.error(
        "error: demo has its own configuration and reads no file; to use one: stacks-exporter serve --config.file FILE",
      );
    return (await import("./commands/demo.ts")).demo(flags, io);
  });
  try {
    await program.parseAsync(argv.map(documentedName), { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (!(error instanceof CommandError)) throw error;
    io.err(`${error.message}\n`);
    return 1;
  }
}

const OTHER_NAMES: Readonly<Record<string, string>> = {
  "--config": "--config.file",
  "--listen": "--web.listen-address",
  "--log-level": "--log.level",
  "--log-format": "--log.format",
};

// Each option has one name in the help, that of exporters in Go; the short one is accepted, too.
function documentedName(word: string): string {
  const [name = "", ...value] = word.split("=");
  return [OTHER_NAMES[name] ?? name, ...value].join("=");
}

function optionsByCommand({ commands }: Command): string {
  const lines = commands.map((command) => {
    const names = command.options.filter(({ hidden }) => !hidden).map(({ long }) => long);
    return `  ${command.name().padEnd(9)}  ${names.join(", ")}\n`;
  });
  return `Options of the commands (stacks-exporter COMMAND --help describes them):\n${lines.join("")}`;
}

// `serve` is the default: a mistyped command, or a command after flags, is parsed as an argument of `serve`.
function refuseArguments(program: Command, command: Command): void {
  const [word] = command.args.slice(command.registeredArguments.length);
  if (word === undefined) return;
  const names = program.commands.flatMap((known) => [known.name(), ...known.aliases()]);
  const most = command.registeredArguments.length === 0 ? "no arguments" : "one argument";
  if ([command.name(), command.alias()].includes(program.args[0] ?? ""))
    program.error(`error: ${command.name()} has ${most}, found '${word}'`);
  if (names.includes(word)) program.error(`error: the command must be first: stacks-exporter ${word} …`);
  program.error(`error: unknown command '${word}'; the commands are ${names.join(", ")}`);
}
