// Reloads what files configure while the exporter runs: on request, or when a file has changed.
import type { Clock } from "./api/clock.ts";
import type { Config } from "./config/config.ts";
import { type ConfigError, formatError } from "./config/errors.ts";
import type { Loaded } from "./config/load.ts";
import { followFiles } from "./config/watch-changes.ts";
import type { LoadedWebConfig, WebConfig } from "./config/web-config.ts";
import type { ReloadReport } from "./telemetry/reports.ts";

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

interface ReloadOptions<Ok> {
  /** In messages. */
  readonly what: string;
  readonly load: () => Promise<
    (Ok & { readonly ok: true }) | { readonly ok: false; readonly errors: readonly ConfigError[] }
  >;
  /** Takes what was loaded, or returns why that needs a restart. */
  readonly take: (loaded: Ok) => Promise<string | undefined>;
  /** The files that are followed now, absolute. */
  readonly files: () => readonly string[];
  /** What has to end before a reload begins. Reloads that change the same things share it. */
  readonly turns: { last: Promise<void> };
  readonly clock: Clock;
  readonly log: Record<"info" | "error", (fields: object, message: string) => void>;
}

/** The reloads of one thing, one at a time. */
export class Reload<Ok> {
  readonly #options: ReloadOptions<Ok>;
  /** The last reload. */
  report: ReloadReport = {};

  constructor(options: ReloadOptions<Ok>) {
    this.#options = options;
  }

  /** Reloads whenever a file changes, until `stop` is aborted. */
  async follow(stop: AbortSignal): Promise<void> {
    const { clock, files } = this.#options;
    await followFiles(files, { clock, stop, onChange: () => this.run() });
  }

  /** Loads and takes what the files have now. If that is not valid, logs its errors, and changes nothing. */
  run(): Promise<void> {
    const { turns } = this.#options;
    turns.last = turns.last.then(() => this.#run());
    return turns.last;
  }

  async #run(): Promise<void> {
    const { what, load, take, log } = this.#options;
    try {
      const loaded = await load();
      const needsRestart = loaded.ok ? await take(loaded) : undefined;
      const errors = loaded.ok ? [needsRestart].flatMap((error) => error ?? []) : loaded.errors.map(formatError);
      if (errors.length > 0) this.#refuse(errors);
      else {
        this.report = {};
        log.info({}, `reloaded ${what}`);
      }
    } catch (error) {
      log.error({ err: error }, "a reload failed");
    }
  }

  #refuse(errors: readonly string[]): void {
    const { what, clock, log } = this.#options;
    for (const error of errors) log.error({}, error);
    log.error({ errors: errors.length }, `cannot reload ${what}: the previous one stays in use`);
    const since = this.report.failure?.since ?? clock.now();
    this.report = { failure: { message: errors[0] ?? "", errors: errors.length, since } };
  }
}

/** The reloads of an exporter; undefined for what has no source. */
export interface Reloads {
  readonly configuration: Reload<{ readonly config: Config }> | undefined;
  /** The files that the configuration names. */
  readonly files: Reload<{ readonly config: Config }> | undefined;
  /** The web configuration and the files that it names. */
  readonly web: Reload<Pick<WebSource, "web">> | undefined;
}

/** The files that a configuration names: watch lists and keys. */
export const filesOf = ({ networks }: Config): readonly string[] => [
  ...new Set(
    networks.flatMap(({ watchFiles, upstreams }) => [
      ...watchFiles,
      ...upstreams.flatMap(({ apiKeyFile }) => apiKeyFile ?? []),
    ]),
  ),
];
