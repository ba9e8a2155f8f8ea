// Reloads what files configure while the exporter runs: on request, or when a file has changed.
import { stat } from "node:fs/promises";
import type PQueue from "p-queue";
import type { Clock } from "./api/clock.ts";
import type { Loaded } from "./config/load.ts";
import type { LoadedWebConfig, WebConfig } from "./config/web-config.ts";
import type { ReloadReport, ReloadReports } from "./telemetry/status.ts";

/** Source of the configuration. */
export interface ConfigSource {
  /** Loads it again from its file, and from those that it names. */
  load(): Promise<Loaded>;
  /** Loads it again with its present text, and the files that this names as they are now. */
  loadFiles(): Promise<Loaded>;
  readonly isFile: boolean;
}

/** Source of the web configuration. */
export interface WebSource {
  /** The initial web configuration. */
  readonly web: WebConfig;
  /** The files that it was read from when it was last loaded, absolute. */
  files(): readonly string[];
  load(): Promise<LoadedWebConfig>;
}

interface ReloadOptions {
  /** In messages. */
  readonly what: string;
  /** Loads and takes what the files have now. Returns why it is refused: nothing has changed then. */
  readonly apply: () => Promise<readonly string[]>;
  /** The files that are followed now, absolute. */
  readonly files: () => readonly string[];
  /** Reloads that change the same things share it: one at a time. */
  readonly turns: PQueue;
  readonly clock: Clock;
  readonly log: Record<"info" | "error", (fields: object, message: string) => void>;
}

/** Time between two looks at the files. */
const LOOK_MS = 5000;

/** The reloads of one thing, one at a time. */
export class Reload {
  readonly #options: ReloadOptions;
  report: ReloadReport = {};

  constructor(options: ReloadOptions) {
    this.#options = options;
  }

  /**
   * Reloads when files have changed and are the same in two looks, as a file may be half written, until `stop` is
   * aborted. Events of the file system miss files that an editor replaced, changed links, and network file systems.
   */
  async follow(stop: AbortSignal): Promise<void> {
    const { clock, files } = this.#options;
    // The first time, they are read again: they can have changed since the start has read them.
    let [known, last] = ["", ""];
    for (;;) {
      await clock.sleep(LOOK_MS, stop).catch(() => undefined); // stopped
      if (stop.aborted) return;
      const versions = await versionsOf(files());
      const isQuiet = versions === last;
      last = versions;
      if (!isQuiet || versions === known) continue;
      known = versions;
      await this.run();
    }
  }

  /** Takes what the files have now. If that is not valid, logs its errors, and changes nothing. */
  run(): Promise<void> {
    const { what, apply, clock, log, turns } = this.#options;
    const reload = async () => {
      const errors = await apply();
      const { since = clock.now() } = this.report.failure ?? {};
      this.report = errors[0] === undefined ? {} : { failure: { message: errors[0], errors: errors.length, since } };
      for (const error of errors) log.error({}, error);
      if (errors.length === 0) log.info({}, `reloaded ${what}`);
      else log.error({ errors: errors.length }, `cannot reload ${what}: the previous one stays in use`);
    };
    return turns.add(reload).catch((error) => {
      const { since = clock.now() } = this.report.failure ?? {};
      this.report = { failure: { message: `a reload failed: ${error}`, errors: 1, since } };
      log.error({ err: error }, "a reload failed");
    });
  }
}

// Identifies a version of a file: its inode (links are followed), its size, and its times.
const versionOf = (file: string): Promise<string> =>
  stat(file, { bigint: true }).then(
    ({ dev, ino, size, mtimeNs, ctimeNs }) => [dev, ino, size, mtimeNs, ctimeNs].join(),
    ({ code }: NodeJS.ErrnoException) => String(code),
  );

const versionsOf = async (files: readonly string[]) => (await Promise.all(files.map(versionOf))).join(";");

/** The reloads of an exporter; undefined for what has no source. */
export type Reloads = Readonly<Record<keyof ReloadReports, Reload | undefined>>;
