// The exporter of a command.
import { commandsPart } from "../api/budget.ts";
import { systemClock } from "../api/clock.ts";
import { App, type AppOptions } from "../app.ts";
import { redactorOf } from "../config/secret.ts";
import type { Config } from "../config/settings.ts";
import { createLogger } from "../log.ts";
import { MEMORY, StateFileError } from "../store/open.ts";
import { Store } from "../store/store.ts";
import { CommandError, type Io } from "./io.ts";
import type { LoadedConfig } from "./load-config.ts";

// Polls wait for the small part of the budget that an exporter leaves.
const BESIDE_TIMEOUT_MS = 3_600_000;

/** What only some commands have: a state that outlives the process, and listeners. */
export type AppParts = Pick<
  AppOptions,
  "store" | "damage" | "budgets" | "isBeside" | "webSource" | "listen" | "probes"
>;

/** Makes the exporter of a configuration. */
export async function createApp({ config, source, options }: LoadedConfig, io: Io, parts: AppParts): Promise<App> {
  const redactor = redactorOf(config.networks);
  const log = await createLogger({ ...options.log, mask: (text) => redactor.mask(text), write: io.err });
  io.onWarning(({ name, message }) => log.warn({ name }, message));
  // The rules are loaded with the first request for a runbook.
  const runbook = async (subject: string) => (await import("./runbooks.ts")).runbookHtml(subject);
  return new App({ config, source, redactor, log, version: io.version, clock: systemClock, runbook, ...parts });
}

/**
 * Runs `work` with an exporter without listeners that counts from zero. While no other one runs, the command holds the
 * state file, as an exporter does, and saves what it uses of the budgets there. Otherwise it uses the part that an
 * exporter leaves, one command at a time. Settles as `work` does.
 * @throws CommandError when the command is stopped, another one runs, or the budget has no part for commands
 */
export async function withApp<Result>(
  loaded: LoadedConfig,
  io: Io,
  work: (app: App) => Promise<Result>,
): Promise<Result> {
  const { store: budgets, isBeside } = openBudgets(loaded.config.statePath);
  try {
    const config = isBeside ? besideExporter(loaded.config) : loaded.config;
    const app = await createApp({ ...loaded, config }, io, { budgets, isBeside });
    const stopped = io.stopped.then(() => {
      throw new CommandError("the command was stopped");
    });
    try {
      return await Promise.race([work(app), stopped]);
    } finally {
      await app.stop();
    }
  } finally {
    budgets.close();
  }
}

function besideExporter(config: Config): Config {
  const networks = config.networks.map((network) => {
    const { name, upstreams, collectors } = network;
    if (upstreams.some(({ budget }) => commandsPart(budget).perMinute <= 0))
      throw new CommandError(`${name}: a budget of 1 request a minute leaves none to a command beside an exporter`);
    return { ...network, collectors: collectors.map((one) => ({ ...one, timeoutMs: BESIDE_TIMEOUT_MS })) };
  });
  return { ...config, networks };
}

function openBudgets(path: string | undefined): { readonly store: Store; readonly isBeside: boolean } {
  if (path === undefined) return { store: new Store(MEMORY), isBeside: true };
  try {
    return { store: new Store(path), isBeside: false };
  } catch (error) {
    if (!(error instanceof StateFileError)) throw error;
  }
  try {
    return { store: new Store(`${path}.commands`), isBeside: true };
  } catch (error) {
    if (!(error instanceof StateFileError)) throw error;
    throw new CommandError(
      error.isInUse ? "another command uses the budget: start this one when it has ended" : error.message,
    );
  }
}
