// Reloads what files configure while the exporter runs: on request, or when a file has changed.
import type { Clock } from "./api/clock.ts";
import type { Config } from "./config/config.ts";
import type { Loaded } from "./config/load.ts";
import { followFiles } from "./config/watch-changes.ts";
import type { LoadedWebConfig, WebConfig } from "./config/web-config.ts";
import type { ReloadReport, ReloadReports } from "./telemetry/status.ts";

/** Source of the configuration. */
export interface ConfigSource {
  /** Loads it again from its file, and from those that it names. */
  load(): Promise<Loaded>;
  /** Loads it again with its present text, and the files that this names as they are now. */
  loadFiles(): Promise<Loaded>;
  /** Whether the configuration is a file. */
  readonly isFile: boolean;
}

/** Source of the web configuration. */
export interface WebSource {
  /** The initial web configuration. */
  readonly web: WebConfig;
  /** The files that it was read from when it was last loaded, absolute. */
  files(): readonly string[];
  /** Loads the files again. */
  load(): Promise<LoadedWebConfig>;
}

interface ReloadOptions {
  /** In messages. */
  readonly what: string;
  /** Loads and takes what the files have now. Returns why it is refused: nothing has changed then. */
  readonly apply: () => Promise<readonly string[]>;
  /** The files that are followed now, absolute. */
  readonly files: () => readonly string[];
  /** What has to end before a reload begins. Reloads that change the same things share it. */
  readonly turns: { last: Promise<void> };
  readonly clock: Clock;
  readonly log: Record<"info" | "error", (fields: object, message: string) => void>;
}

/** The reloads of one thing, one at a time. */
export class Reload {
  readonly #options: ReloadOptions;
  /** The last reload. */
  report: ReloadReport = {};

  constructor(options: ReloadOptions) {
    this.#options = options;
  }

  /** Reloads whenever a file changes, until `stop` is aborted. */
  async follow(stop: AbortSignal): Promise<void> {
    const { clock, files } = this.#options;
    await followFiles(files, { clock, stop, onChange: () => this.run() });
  }

  /** Takes what the files have now. If that is not valid, logs its errors, and changes nothing. */
  run(): Promise<void> {
    const { turns } = this.#options;
    turns.last = turns.last.then(() => this.#run());
    return turns.last;
  }

  async #run(): Promise<void> {
    const { what, apply, clock, log } = this.#options;
    try {
      const errors = await apply();
      const { since = clock.now() } = this.report.failure ?? {};
      this.report = errors[0] === undefined ? {} : { failure: { message: errors[0], errors: errors.length, since } };
      for (const error of errors) log.error({}, error);
      if (errors.length === 0) log.info({}, `reloaded ${what}`);
      else log.error({ errors: errors.length }, `cannot reload ${what}: the previous one stays in use`);
    } catch (error) {
      log.error({ err: error }, "a reload failed");
    }
  }
}

/** The reloads of an exporter; undefined for what has no source. */
export type Reloads = Readonly<Record<keyof ReloadReports, Reload | undefined>>;

/** The files that a configuration names: watch lists and keys. */
export const filesOf = ({ networks }: Config): readonly string[] => [
  ...new Set(
    networks.flatMap(({ watchFiles, upstreams }) => [
      ...watchFiles,
      ...upstreams.flatMap(({ apiKeyFile }) => apiKeyFile ?? []),
    ]),
  ),
];
