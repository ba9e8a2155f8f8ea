// Writes the metrics of the time before the exporter was started, for `promtool tsdb create-blocks-from`.
import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { setImmediate } from "node:timers/promises";
import { SPARE_PRIORITY } from "../api/budget.ts";
import { type Clock, systemClock } from "../api/clock.ts";
import { ApiError } from "../api/errors.ts";
import type { StacksApi } from "../api/operation.ts";
import { blocks } from "../collectors/blocks/blocks.ts";
import { readBlock } from "../collectors/chain/block-source.ts";
import type { Block } from "../collectors/chain/chain.ts";
import { collectorFamilies, collectors, ruleFamilies } from "../collectors/index.ts";
import type { Config, NetworkConfig } from "../config/config.ts";
import { isSelected } from "../exposition/selection.ts";
import type { Past } from "../history/past.ts";
import { COLLECTORS_WITH_PAST, pastsOf } from "../history/pasts.ts";
import { type Range, readRange, readStep, timeText } from "../history/range.ts";
import { type ReadContext, readPast } from "../history/read.ts";
import { Spool } from "../history/spool.ts";
import { type ReadPast, writeHistory } from "../history/write.ts";
import { problemOf, StateFileError } from "../storage/state-file-error.ts";
import { createCommandClient } from "./api-client.ts";
import { count, formatCommands, formatEstimate, sizeText } from "./history-text.ts";
import { CommandError, type Io } from "./io.ts";
import { type ConfigFlags, loadConfigFile } from "./load-config.ts";
import { networkOf } from "./read-events.ts";
import { type SharedBudgets, withSharedBudgets } from "./shared-budgets.ts";

/** The options of `history`. */
export interface HistoryFlags extends ConfigFlags {
  readonly since: string;
  readonly until?: string;
  readonly step: string;
  readonly only?: string;
  readonly network?: string;
  readonly job: string;
  readonly instance: string;
  readonly out: string;
  readonly dryRun?: boolean;
}

interface Settings {
  readonly range: Range;
  readonly step: number;
  readonly only: readonly string[];
  readonly target: { readonly job: string; readonly instance: string };
}

/** Reads the past of a network, and writes its samples. @throws CommandError */
export async function history(flags: HistoryFlags, io: Io, clock: Clock = systemClock): Promise<number> {
  const settings = settingsOf(flags, clock.now() / 1000);
  const { config } = await loadConfigFile(flags, io);
  const network = networkOf(config.networks, flags.network);
  const pasts = await pastsOf(network, settings.only);
  if (pasts.length === 0) {
    throw new CommandError(
      `--only: expected a collector that is enabled on ${network.name} and has targets, found ${settings.only.join(",")}`,
    );
  }
  io.err(`${formatEstimate(config, network, pasts, settings).join("\n")}\n`);
  if (flags.dryRun) return 0;
  const folder = resolve(flags.out);
  const spool = openSpool(folder, io);
  try {
    const identity = sameHistory(spool, network, flags, settings.range);
    const { read, range } = await withSharedBudgets(config, io, (budgets) =>
      readAll(pasts, { network, spool, identity }, budgets, io, clock),
    );
    if (read.length === 0) throw new CommandError("the server offers nothing of this history");
    await writeAll(read, spool, config, network, { ...settings, range }, folder, io);
    io.out(`${formatCommands(folder, range).join("\n")}\n`);
    return 0;
  } catch (error) {
    if (error instanceof StateFileError) throw new CommandError(`${error.message}; what was read before is kept`);
    throw error;
  } finally {
    spool.close();
  }
}

function settingsOf({ since, until, step, only, job, instance }: HistoryFlags, now: number): Settings {
  const range = readRange(since, until, now);
  const seconds = readStep(step);
  const names = only?.split(",").map((name) => name.trim()) ?? COLLECTORS_WITH_PAST;
  const errors = [
    ...("since" in range ? [] : range),
    ...(typeof seconds === "string" ? [seconds] : []),
    ...names
      .filter((name) => !(COLLECTORS_WITH_PAST as readonly string[]).includes(name))
      .map((name) => `--only: expected some of ${COLLECTORS_WITH_PAST.join(",")}, found ${JSON.stringify(name)}`),
    ...Object.entries({ job, instance })
      // biome-ignore lint/suspicious/noControlCharactersInRegex: a label with one is a mistake
      .filter(([, value]) => value === "" || /[\u0000-\u001f\u007f]/.test(value))
      .map(([name, value]) => `--${name}: expected the label of the scrapes, found ${JSON.stringify(value)}`),
  ];
  if (errors.length > 0 || !("since" in range) || typeof seconds === "string")
    throw new CommandError(errors.join("\n"));
  return { range, step: seconds, only: names, target: { job, instance } };
}

function openSpool(folder: string, io: Io): Spool {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return new Spool(folder, {
      warn: (fields, message) => io.err(`${message}: ${JSON.stringify(fields)}\n`),
    });
  } catch (error) {
    const problem = error instanceof StateFileError ? error.message : problemOf(error);
    throw new CommandError(`--out: expected a folder that can be written, found ${folder}: ${problem}`);
  }
}

/** The history that a folder has. */
interface Identity {
  readonly network: string;
  readonly flags: { readonly since: string; readonly until: string };
  /** That of the first start with this folder. */
  readonly range: Range;
}

/** The history of the folder, or this one if it has none yet. @throws CommandError if it has another one */
function sameHistory(
  spool: Spool,
  { name }: NetworkConfig,
  { since, until = "" }: HistoryFlags,
  range: Range,
): Identity {
  const saved = spool.fact("history") as Identity | undefined;
  if (saved === undefined) return { network: name, flags: { since, until }, range };
  if (saved.network === name && saved.flags.since === since && saved.flags.until === until) return saved;
  const { flags } = saved;
  const other = [
    `network ${saved.network}`,
    `--since ${flags.since}`,
    ...(flags.until === "" ? [] : [`--until ${flags.until}`]),
  ];
  throw new CommandError(
    `--out: expected a folder for this history, found that of ${other.join(" ")}: use another folder, or delete it`,
  );
}

const PROGRESS_MS = 10_000;
const LONGEST_GAP_SECONDS = 3600;

/** Reads all pasts. Prints progress and what is missing. @throws CommandError */
async function readAll(
  pasts: readonly Past[],
  { network, spool, identity }: { readonly network: NetworkConfig; readonly spool: Spool; readonly identity: Identity },
  budgets: SharedBudgets,
  io: Io,
  clock: Clock,
): Promise<{ readonly read: readonly ReadPast[]; readonly range: Range }> {
  const { client, redactor, stop } = createCommandClient(network, budgets, io);
  let requests = 0;
  let printedAt = Number.NEGATIVE_INFINITY;
  const open = () => counting(client.forPoll({ priority: SPARE_PRIORITY, signal: stop }), () => (requests += 1));
  const note = (message: string) => io.err(`${redactor.mask(message)}\n`);
  const onRead = (past: Past, time: number | undefined) => {
    if (clock.elapsed() - printedAt < PROGRESS_MS) return;
    printedAt = clock.elapsed();
    const at = time === undefined ? "" : `, at ${timeText(time)}`;
    const place = `${pasts.indexOf(past) + 1} of ${pasts.length}`;
    note(`${past.name} (${place})${at}: ${count(requests)} requests in this run`);
  };
  try {
    const first = await checkChain(open(), spool, network);
    const range = sinceFirstBlock(identity.range, first?.time, note);
    // Only now: the folder of a chain that is too young can be used later.
    spool.setFact("history", identity);
    const context: ReadContext = { open, spool, range, clock, stop, note, onRead };
    const read: ReadPast[] = [];
    for (const past of pasts) {
      const source = await readPast(past, context);
      if (source === undefined) note(`${past.name}: not in the history`);
      else read.push({ past, source });
      const newest = past.collector === blocks.name && source !== undefined ? spool.newest(source.name) : undefined;
      if (newest !== undefined && newest < range.until - LONGEST_GAP_SECONDS) {
        note(`the newest block is of ${timeText(newest)}: the server is behind, or the chain stood still`);
      }
    }
    note(`everything is read: ${count(requests)} requests in this run`);
    return { read, range };
  } catch (error) {
    if (!(error instanceof ApiError || (error instanceof DOMException && stop.aborted))) throw error;
    const reason = error instanceof ApiError ? `${error.reason}: ` : "";
    const again = "the same command continues where this one stopped";
    throw new CommandError(redactor.mask(`the history cannot be read: ${reason}${error.message}; ${again}`));
  } finally {
    await client.close();
  }
}

/** Checks that the folder belongs to the chain of the server. @returns the first block, which identifies a chain */
async function checkChain(api: StacksApi, spool: Spool, { name }: NetworkConfig): Promise<Block | undefined> {
  const first = await readBlock(api, 1);
  const saved = spool.fact("first block");
  if (first === undefined) return undefined;
  if (saved === undefined) spool.setFact("first block", first.hash);
  else if (saved !== first.hash) {
    throw new CommandError(
      `--out: expected a folder for the chain of ${name}, found that of another chain, whose first block is ${saved}`,
    );
  }
  return first;
}

/** The range without the time before the first block: zeros there would be an invention. */
function sinceFirstBlock(range: Range, first: number | undefined, note: (message: string) => void): Range {
  if (first === undefined || first <= range.since) return range;
  const begin = `the first block of the chain is of ${timeText(first)}`;
  if (first > range.until) throw new CommandError(`${begin}, after the end of the history, ${timeText(range.until)}`);
  note(`${begin}, and so is the first sample`);
  return { ...range, since: first };
}

/** The API, with a call for each request. */
function counting(api: StacksApi, onRequest: () => void): StacksApi {
  const counted =
    <Input extends readonly unknown[], Result>(send: (...input: Input) => Result) =>
    (...input: Input): Result => {
      onRequest();
      return send(...input);
    };
  return {
    ...api,
    get: counted(api.get) as StacksApi["get"],
    getWhole: counted(api.getWhole) as StacksApi["getWhole"],
    getIfChanged: counted(api.getIfChanged) as StacksApi["getIfChanged"],
    find: counted(api.find) as StacksApi["find"],
  };
}

async function writeAll(
  read: readonly ReadPast[],
  spool: Spool,
  config: Config,
  network: NetworkConfig,
  { range, step, target }: Settings,
  folder: string,
  io: Io,
): Promise<void> {
  let isStopped = false;
  void io.stopped.then(() => {
    isStopped = true;
  });
  try {
    await writeHistory(read, spool, {
      folder,
      network: network.name,
      range,
      step,
      target,
      families: [...collectorFamilies, ...ruleFamilies([network])],
      isExposed: isSelected(config.metrics),
      sums: new Map(collectors.map(({ name, sums = [] }) => [name, sums])),
      onFile: (path, bytes) => io.err(`${path}: ${sizeText(bytes)}\n`),
      async pause() {
        await setImmediate();
        if (isStopped) throw new CommandError("the command was stopped; the same command writes the files again");
      },
    });
  } catch (error) {
    if (error instanceof StateFileError || !(error instanceof Error && "code" in error)) throw error;
    throw new CommandError(
      `--out: the files cannot be written: ${problemOf(error)}; the same command writes them again`,
    );
  }
}
