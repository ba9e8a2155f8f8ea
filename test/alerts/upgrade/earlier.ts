// What happens before an upgrade, while an earlier version watches 40 wallets. `DAY.db.gz` is the state file of the
// version of that day after it, and `DAY.pages.br` what it served at each scrape. To record another version, or the
// same one after the simulated chain has changed, with a clone of it and its packages in FOLDER (2026-11-23: commit
// 9ba8c43d, with the file test/support/fake-clock.ts of later ones):
//
//     git worktree add FOLDER COMMIT && (cd FOLDER && npm ci)
//     npx node test/alerts/upgrade/earlier.ts FOLDER DAY
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { brotliCompressSync, brotliDecompressSync, constants, gunzipSync, gzipSync } from "node:zlib";
import type { SimulatorOptions } from "../../../simulator/server.ts";
import { AlertStory } from "../../support/alert-story.ts";
import type { Exporter } from "../../support/exporter.ts";
import { freeKey, walletOf } from "../../support/free-key.ts";

const MINUTE = 60;
const SIMULATOR: SimulatorOptions = { history: 60 };
const PAST = 15 * MINUTE;
const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** Wallets with an event before the upgrade. */
export const PAID = 1;
export const UNDERPAID = 30;
/** Microstacks. */
export const PAYMENT = 200_000_000_000n;

/** What an earlier version left. */
export interface Recording {
  /** The state file. */
  readonly state: Buffer;
  /** What each scrape returned, in the classic format. */
  readonly pages: readonly string[];
  /** Hash of the chain tip after the last scrape. */
  readonly tip: string;
}

/** The story until the upgrade. @param version the earlier version, or what it served */
export async function untilUpgrade(version: Parameters<typeof AlertStory.start>[3]): Promise<AlertStory> {
  const story = await AlertStory.start(SIMULATOR, PAST, freeKey, version);
  const { chain } = story.simulator;
  await story.pass(5 * MINUTE);
  chain.send(walletOf(story.simulator, UNDERPAID), { fee: 100 });
  await story.pass(5 * MINUTE);
  chain.send(walletOf(story.simulator, PAID), { fee: 10_000, amount: PAYMENT });
  await story.pass(10 * MINUTE);
  return story;
}

/** The recording of a version. @param day of the version, such as `2026-11-23` */
export function recordingOf(day: string): Recording {
  const { pages, tip } = JSON.parse(brotliDecompressSync(readFileSync(file(`${day}.pages.br`))).toString());
  return { state: gunzipSync(readFileSync(file(`${day}.db.gz`))), pages, tip };
}

/** Hash of the tip of the simulated chain. */
export const tipOf = ({ simulator }: AlertStory): string => simulator.chain.ledger.tip?.hash ?? "";

async function record(folder: string, day: string): Promise<void> {
  const version: { Exporter: typeof Exporter } = await import(join(resolve(folder), "test/support/exporter.ts"));
  const story = await untilUpgrade(version);
  await story.exporter.app.stop();
  const content = JSON.stringify({ tip: tipOf(story), pages: story.pages });
  // Consecutive pages differ little, and are longer than the default window.
  const params = { [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS };
  writeFileSync(file(`${day}.pages.br`), brotliCompressSync(content, { params }));
  writeFileSync(file(`${day}.db.gz`), gzipSync(readFileSync(story.exporter.path)));
  await story.simulator.close();
}

const [, script = "", folder = "", day = ""] = process.argv;
if (import.meta.url === pathToFileURL(script).href) await record(folder, day);
