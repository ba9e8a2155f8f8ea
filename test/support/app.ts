// The exporter in this process: the real parts, a chosen configuration, and a log that can be read.
import { pino } from "pino";
import { systemClock } from "../../src/api/clock.ts";
import { App, type AppOptions } from "../../src/app.ts";
import { collectors } from "../../src/collectors/index.ts";
import { formatErrors } from "../../src/config/errors.ts";
import { readDocument } from "../../src/config/files.ts";
import { load as loadConfig } from "../../src/config/load.ts";
import { redactorOf } from "../../src/config/secret.ts";
import { Page } from "./page.ts";

interface Options extends Partial<AppOptions> {
  /** Content of every file that the configuration names; they can be reloaded then. */
  readonly readFile?: () => string;
}

/** The setting `collectors` with these collectors only, and their settings. */
export const onlyCollectors = (settings: Readonly<Record<string, object>>): string =>
  JSON.stringify(Object.fromEntries(collectors.map(({ name }) => [name, settings[name] ?? { enabled: false }])));

/** An app of a configuration text, which `await using` stops; with a function, reloads take its present result. */
export async function createApp(
  text: string | (() => string),
  log: (line: string) => void = () => undefined,
  { readFile, ...options }: Options = {},
): Promise<App & AsyncDisposable> {
  const families = new Map();
  const loadText = (text: string) => {
    const document = readDocument("/etc/test.yaml", text);
    return loadConfig({ document, env: {}, readFile: readFile ?? (() => ""), collectors, families });
  };
  const first = typeof text === "string" ? text : text();
  const loadFiles = () => loadText(first);
  const load = () => loadText(typeof text === "string" ? text : text());
  const loaded = await loadFiles();
  if (!loaded.ok) throw new Error(formatErrors(loaded.errors));
  const app = new App({
    config: loaded.config,
    source: readFile && { load, loadFiles, isFile: typeof text !== "string" },
    version: "0.0.0",
    log: pino({ level: "debug", base: null }, { write: log }),
    clock: systemClock,
    listen: [{ host: "127.0.0.1", port: 0 }],
    redactor: redactorOf([]),
    ...options,
  });
  return Object.assign(app, { [Symbol.asyncDispose]: () => app.stop() });
}

/** The page of an app. */
export async function readPage(app: App): Promise<Page> {
  app.page.touch();
  return new Page((await app.page.body("openmetrics", false)).toString());
}
