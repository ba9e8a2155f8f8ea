// Makes the exporter of a command: its redactor, its logger and its state file.
import { systemClock } from "../api/clock.ts";
import { App, type AppOptions } from "../app.ts";
import { redactorOf } from "../config/secret.ts";
import { createLogger } from "../log.ts";
import type { Io } from "./io.ts";
import type { LoadedConfig } from "./load-config.ts";

/** What outlives the process. */
export type OpenState = Pick<AppOptions, "store" | "damage" | "budgets" | "isBeside">;

/** Parts that only some commands have. */
export interface AppParts extends Pick<AppOptions, "webSource"> {
  /** Opens the state. @default nothing outlives the process */
  readonly open?: ((log: App["log"]) => Promise<OpenState>) | undefined;
}

/** Makes the exporter of a configuration. */
export async function createApp(
  { config, source }: LoadedConfig,
  io: Io,
  { open, webSource }: AppParts = {},
): Promise<App> {
  const redactor = redactorOf(config.networks.flatMap(({ upstreams }) => upstreams));
  const log = await createLogger({ ...config.log, mask: (text) => redactor.mask(text), write: io.err });
  io.onWarning(({ name, message }) => log.warn({ name }, message));
  const state = await open?.(log);
  return new App({
    config,
    source,
    webSource,
    redactor,
    log,
    version: io.version,
    clock: systemClock,
    ...state,
    // The rules are loaded with the first request for a runbook.
    runbook: async (subject) => (await import("./runbooks.ts")).runbookHtml(subject),
  });
}
