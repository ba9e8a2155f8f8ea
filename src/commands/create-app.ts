// Makes the exporter of a command: its redactor, its logger and its state file.
import { systemClock } from "../api/clock.ts";
import { App, type AppOptions } from "../app.ts";
import { redactorOf } from "../config/secret.ts";
import { warningsOf } from "../config/warnings.ts";
import { createLogger } from "../log.ts";
import type { BudgetFile } from "../storage/budget-file.ts";
import type { StateFileLog } from "../storage/open.ts";
import type { StateFile } from "../storage/state-file.ts";
import type { Io } from "./io.ts";
import type { LoadedConfig } from "./load-config.ts";

/** The files that an exporter keeps open. */
export interface OpenFiles {
  /** @default nothing outlives the process */
  readonly stateFile?: StateFile | undefined;
  /** @default no other process uses the same budgets */
  readonly budgets?: BudgetFile | undefined;
}

/** Parts that only some commands have. */
export interface AppParts extends Pick<AppOptions, "hasLifecycle" | "webSource"> {
  /** Opens the files. */
  readonly open?: ((log: StateFileLog & Pick<AppOptions["log"], "error">) => Promise<OpenFiles>) | undefined;
}

/** Makes the exporter of a configuration. */
export async function createApp(
  { config, source }: LoadedConfig,
  io: Io,
  { open, hasLifecycle, webSource }: AppParts = {},
): Promise<App> {
  const redactor = redactorOf(config.networks.flatMap(({ upstreams }) => upstreams));
  const log = await createLogger({ ...config.log, mask: (text) => redactor.mask(text), write: io.err });
  io.onWarning(({ name, message }) => log.warn({ name }, message));
  for (const warning of warningsOf(config)) log.warn({}, warning);
  const files = await open?.(log);
  return new App({
    config,
    source,
    hasLifecycle,
    webSource,
    redactor,
    log,
    version: io.version,
    clock: systemClock,
    ...files,
    // The rules are loaded with the first request for a runbook.
    runbook: async (subject) => (await import("./runbooks.ts")).runbookHtml(subject),
  });
}
