// Makes the exporter of a command: its redactor, its logger and its state file.
import { systemClock } from "../api/clock.ts";
import { App } from "../app.ts";
import { redactorOf } from "../config/secret.ts";
import { warningsOf } from "../config/warnings.ts";
import { createLogger } from "../log.ts";
import type { StateFileLog } from "../storage/open.ts";
import type { StateFile } from "../storage/state-file.ts";
import type { Io } from "./io.ts";
import type { LoadedConfig } from "./load-config.ts";

/** @param open opens the state file. @default nothing outlives the process */
export async function createApp(
  { config, reload }: LoadedConfig,
  io: Io,
  open?: (log: StateFileLog) => Promise<StateFile>,
): Promise<App> {
  const redactor = redactorOf(config.networks.flatMap(({ upstreams }) => upstreams));
  const log = await createLogger({ ...config.log, mask: (text) => redactor.mask(text), write: io.err });
  io.onWarning(({ name, message }) => log.warn({ name }, message));
  for (const warning of warningsOf(config)) log.warn({}, warning);
  const stateFile = await open?.(log);
  return new App({ config, reload, redactor, log, version: io.version, clock: systemClock, stateFile });
}
