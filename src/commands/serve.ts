// Polls and serves the metrics until the process gets a signal.
import { setFlagsFromString } from "node:v8";
import type { BudgetRecord } from "../api/budget.ts";
import { systemClock } from "../api/clock.ts";
import type { Config } from "../config/settings.ts";
import { renameFile, StateFileError } from "../store/open.ts";
import type { Shard } from "../store/shard.ts";
import { Store } from "../store/store.ts";
import { planOf } from "./estimate.ts";
import { CommandError, type Io } from "./io.ts";
import { type Flags, type LoadedConfig, loadConfig, webSourceOf } from "./load-config.ts";
import { type AppParts, createApp } from "./with-app.ts";

// By default, V8 lets the heap of a large machine grow to several times of what is in use before it collects garbage,
// and returns the memory of an hour's largest heap only when the process is idle. A start is faster without these.
const SMALL_HEAP = ["--heap-growing-percent=50", "--optimize-for-size"];

const ADVICE = `What can be done: start once with --reset-state, which keeps the file and counts from zero; give the
folder space and its permissions; set state.path to another file; or set \`state: memory\`, with which counters start
from zero at every start.`;

/** Serves the configuration of the flags. */
export async function serve(flags: Flags, io: Io): Promise<number> {
  const loaded = await loadConfig(flags, io);
  const { statePath, shard } = loaded.config;
  const isReset = flags.resetState === true;
  if (isReset && statePath === undefined) {
    throw new CommandError("--reset-state: with state: memory there is no state file");
  }
  try {
    await serveConfig(loaded, io, statePath === undefined ? {} : openState(statePath, shard, isReset, io));
  } catch (error) {
    if (!(error instanceof StateFileError)) throw error;
    throw new CommandError(error.isInUse ? error.message : `${error.message}\n${ADVICE}`);
  }
  return 0;
}

/** Serves a configuration until `io.stopped`. */
export async function serveConfig(
  loaded: LoadedConfig,
  io: Io,
  state: AppParts,
  onListening?: (url: string) => void,
): Promise<void> {
  const { listen, probes } = loaded.options;
  const webSource = await webSourceOf(loaded.options);
  const warn = (config: Config) => {
    const planned = planOf(config);
    for (const error of planned.errors) app.log.warn({}, error);
    return planned;
  };
  const load = async () => {
    const next = await loaded.source.load();
    if (next.ok) warn(next.config);
    return next;
  };
  const parts = { ...state, listen, probes, webSource };
  const app = await createApp({ ...loaded, source: { ...loaded.source, load } }, io, parts);
  io.onHangUp(() => void app.reloads.configuration?.run());
  const listeners = await app.start().catch((error: unknown) => {
    throw new CommandError(`cannot listen: ${error instanceof Error ? error.message : error}`);
  });
  for (const flag of SMALL_HEAP) setFlagsFromString(flag);
  const networks = loaded.config.networks.map(({ name }) => name);
  for (const { network, upstream, requestsPerMinute, notes } of warn(loaded.config).networks) {
    // Of a URL, no path: some providers put a token into it.
    const polled = { network, upstream: new URL(upstream.url).origin, requestsPerMinute, budget: upstream.budget };
    app.log.info(polled, "polling");
    for (const note of notes) app.log.info({ network }, note);
  }
  for (const { address, isSecure, isProbe } of listeners) {
    if (isProbe) app.log.info({ address }, "listening for probes");
    else app.log.info({ address, tls: isSecure, version: io.version, networks }, "listening");
  }
  onListening?.(listeners.find(({ url }) => url !== undefined)?.url ?? "");
  await io.stopped;
  app.log.info({}, "stopping");
  await app.stop();
  app.log.info({}, "stopped");
}

function openState(path: string, shard: Shard | undefined, isReset: boolean, io: Io): AppParts {
  const used = isReset ? usedBudgets(path) : [];
  const kept = isReset ? renameFile(path, systemClock.now()) : undefined;
  if (kept !== undefined) io.err(`the state file was renamed to ${kept}\n`);
  let store: Store | undefined;
  try {
    store = new Store(path);
    for (const [key, record] of used) store.saveBudget(key, record);
    const deleted = shard && store.keepOnly(shard);
    if (deleted) io.err(`the state of ${deleted} targets that other shards poll was deleted\n`);
    return { store };
  } catch (error) {
    store?.close();
    // Gauges need no state.
    if (error instanceof StateFileError && error.isDamage) return { damage: error };
    throw error;
  }
}

// The API counts the requests of before, also when counters start from zero.
function usedBudgets(path: string): Iterable<readonly [string, BudgetRecord]> {
  try {
    const file = new Store(path);
    const used = file.budgets();
    file.close();
    return used;
  } catch (error) {
    if (error instanceof StateFileError && !error.isInUse) return [];
    throw error;
  }
}
