// Reloads the configuration while the exporter runs: on request, or when a file that it names has changed.
import type { Clock } from "./api/clock.ts";
import type { Config } from "./config/config.ts";
import { type ConfigError, formatError } from "./config/errors.ts";
import type { Loaded } from "./config/load.ts";
import { followFiles } from "./config/watch-changes.ts";
import type { ReloadReport } from "./telemetry/reports.ts";
import type { UpstreamsOptions } from "./upstreams/check.ts";

/** Source of the configuration. */
export interface ConfigSource {
  /** Loads it again from its file, and from those that it names. */
  load(): Promise<Loaded>;
  /** Loads it again with its present text, and the files that this names as they are now. */
  loadFiles(): Promise<Loaded>;
  /** Whether the configuration is a file. */
  readonly isFile: boolean;
}

interface ReloadsOptions {
  readonly config: Config;
  /** Undefined: nothing is followed, and nothing is reloaded. */
  readonly source?: ConfigSource | undefined;
  readonly take: (config: Config) => Promise<void>;
  readonly clock: Clock;
  readonly log: UpstreamsOptions["log"];
}

/** The scope of a reload: the configuration with all of its files, or only those that it names. */
type Scope = "configuration" | "files";

const MESSAGES = {
  configuration: {
    done: "reloaded the configuration",
    refused: "cannot reload the configuration: the previous one stays in use",
  },
  files: {
    done: "reloaded the watch lists and keys",
    refused: "cannot reload the watch lists and keys: the previous ones stay in use",
  },
} as const;

/** The reloads of one exporter, one at a time. */
export class Reloads {
  readonly #options: ReloadsOptions;
  readonly #reports: Record<Scope, ReloadReport | undefined>;
  #files: readonly string[];
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: ReloadsOptions) {
    const { config, source } = options;
    this.#options = options;
    this.#files = source === undefined ? [] : filesOf(config);
    this.#reports = {
      configuration: source?.isFile ? {} : undefined,
      files: this.#files.length === 0 ? undefined : {},
    };
  }

  /** The last reload of the configuration; undefined without a file. */
  get configuration(): ReloadReport | undefined {
    return this.#reports.configuration;
  }

  /** The last reload of the files that it names; undefined without such files. */
  get files(): ReloadReport | undefined {
    return this.#reports.files;
  }

  /** Reloads whenever a file that the configuration names changes, until `stop` is aborted. */
  async follow(stop: AbortSignal): Promise<void> {
    const { clock, log } = this.#options;
    const onChange = () => this.reload("files").catch((error) => log.error({ err: error }, "a reload failed"));
    await followFiles(() => this.#files, { clock, stop, onChange });
  }

  /** Loads the current configuration. If it is not valid, logs its errors, and changes nothing. */
  reload(scope: Scope): Promise<void> {
    const reload = this.#last.then(() => this.#reload(scope));
    this.#last = reload.catch(() => undefined);
    return reload;
  }

  async #reload(scope: Scope): Promise<void> {
    const { source, take, log } = this.#options;
    if (source === undefined) return;
    const loaded = await (scope === "configuration" ? source.load() : source.loadFiles());
    if (!loaded.ok) return this.#refuse(scope, loaded.errors);
    await take(loaded.config);
    this.#files = filesOf(loaded.config);
    if (scope === "configuration" && source.isFile) this.#reports.configuration = {};
    this.#reports.files = this.#files.length === 0 ? undefined : {};
    log.info({ targets: targetsOf(loaded.config) }, MESSAGES[scope].done);
  }

  #refuse(scope: Scope, errors: readonly ConfigError[]): void {
    const { clock, log } = this.#options;
    for (const error of errors) log.error({}, formatError(error));
    log.error({ errors: errors.length }, MESSAGES[scope].refused);
    const before = this.#reports[scope];
    this.#reports[scope] = {
      failure: {
        message: errors.slice(0, 1).map(formatError).join(""),
        errors: errors.length,
        since: before?.failure?.since ?? clock.now(),
      },
    };
  }
}

/** The files that a configuration names: watch lists and keys. */
const filesOf = ({ networks }: Config): readonly string[] => [
  ...new Set(
    networks.flatMap(({ watchFiles, upstreams }) => [
      ...watchFiles,
      ...upstreams.flatMap(({ apiKeyFile }) => apiKeyFile ?? []),
    ]),
  ),
];

const targetsOf = ({ networks }: Config): number =>
  networks.reduce((sum, { addresses, contracts }) => sum + addresses.length + contracts.length, 0);
