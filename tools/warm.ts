// Runs the built exporter once against the simulated chain, so that Node.js writes its compile cache, which needs a
// clean exit. Used when the image is built.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const main = new URL("../dist/main.js", import.meta.url).pathname;
for (const format of ["json", "pretty"]) {
  const child = spawn(process.execPath, [main, "demo", "--listen", "127.0.0.1:0", "--log-format", format], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const line of createInterface(child.stdout)) {
    const url = /(http:\S+)\/metrics/.exec(line)?.[1];
    if (url === undefined) continue;
    for (const accept of ["text/plain", "application/openmetrics-text"]) {
      await (await fetch(`${url}/metrics`, { headers: { accept } })).text();
    }
    child.kill("SIGTERM");
  }
  const code = await new Promise((resolve) =>
    child.exitCode === null ? child.once("exit", resolve) : resolve(child.exitCode),
  );
  if (code !== 0) throw new Error(`the exporter ended with ${code}`);
}
