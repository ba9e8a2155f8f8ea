// Follows the files of the web configuration, and takes them over while the exporter runs.
import type { Clock } from "./api/clock.ts";
import { formatError } from "./config/errors.ts";
import { followFiles } from "./config/watch-changes.ts";
import type { LoadedWebConfig, WebConfig } from "./config/web-config.ts";
import type { ReloadReport } from "./telemetry/reports.ts";

/** Source of a web configuration. */
export interface WebSource {
  /** The initial web configuration. */
  readonly web: WebConfig;
  /** The files that it was read from, absolute. */
  readonly files: readonly string[];
  /** Loads the files again. */
  readonly load: () => Promise<LoadedWebConfig>;
}

interface WebReloadsOptions {
  readonly source: WebSource;
  /** Takes the configuration, or returns why that needs a restart. */
  readonly take: (web: WebConfig) => string | undefined;
  readonly clock: Clock;
  readonly log: { info(fields: object, message: string): void; error(fields: object, message: string): void };
  readonly onReload: () => void;
}

/** The web configuration of a running exporter. */
export class WebReloads {
  readonly #options: WebReloadsOptions;
  #files: readonly string[];
  /** The result of the last reload. */
  report: ReloadReport = {};

  constructor(options: WebReloadsOptions) {
    this.#options = options;
    this.#files = options.source.files;
  }

  /** Reloads whenever a file changes, until `stop` is aborted. */
  async follow(stop: AbortSignal): Promise<void> {
    const { clock, log } = this.#options;
    const onChange = () => this.reload().catch((error) => log.error({ err: error }, "a reload failed"));
    await followFiles(() => this.#files, { clock, stop, onChange });
  }

  /** Loads the current files. If they are invalid, logs why and keeps the previous ones. */
  async reload(): Promise<void> {
    const { source, take, log, onReload } = this.#options;
    const loaded = await source.load();
    // A file that a refused configuration names may be corrected next.
    this.#files = [...new Set([...source.files, ...loaded.files])];
    onReload();
    if (!loaded.ok) return this.#refuse(loaded.errors.map(formatError));
    const needsRestart = take(loaded.web);
    if (needsRestart !== undefined) return this.#refuse([needsRestart]);
    this.report = {};
    log.info({}, "reloaded the web configuration");
  }

  #refuse(messages: readonly string[]): void {
    const { clock, log } = this.#options;
    for (const message of messages) log.error({}, message);
    log.error({ errors: messages.length }, "cannot reload the web configuration: the previous one stays in use");
    this.report = {
      failure: {
        message: messages[0] ?? "",
        errors: messages.length,
        since: this.report.failure?.since ?? clock.now(),
      },
    };
  }
}
