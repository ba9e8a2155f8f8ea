// Generates files from the source. With --check it lists those that are outdated.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { alertOutputs } from "./alerts.ts";
import { chartOutputs } from "./chart.ts";
import { configurationOutputs } from "./configuration.ts";
import { dashboardOutputs } from "./dashboards.ts";
import { kubernetesOutputs } from "./kubernetes.ts";
import { metricsOutputs } from "./metrics.ts";
import type { Output } from "./output.ts";

/** All generated files. To add a renderer, add a file in this folder and one line here. */
export const outputs: readonly Output[] = [
  ...configurationOutputs,
  ...metricsOutputs,
  ...alertOutputs,
  ...dashboardOutputs,
  ...kubernetesOutputs,
  ...chartOutputs,
];

const root = fileURLToPath(new URL("../../", import.meta.url));

/** The outputs whose files are outdated or missing. */
async function staleOutputs(): Promise<Output[]> {
  const stale: Output[] = [];
  for (const output of outputs) {
    const present = await readFile(root + output.path, "utf8").catch(() => undefined);
    if (present !== (await output.render())) stale.push(output);
  }
  return stale;
}

async function main(isCheck: boolean): Promise<void> {
  const stale = await staleOutputs();
  if (isCheck) {
    for (const { path } of stale) console.error(`${path} is not current`);
    if (stale.length > 0) console.error('Run "npm run generate" and commit what it changes.');
    process.exitCode = stale.length > 0 ? 1 : 0;
    return;
  }
  for (const { path, render } of stale) {
    await mkdir(dirname(root + path), { recursive: true });
    await writeFile(root + path, await render());
    console.log(`wrote ${relative(process.cwd(), root + path)}`);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main(process.argv.includes("--check"));
