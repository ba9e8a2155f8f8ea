#!/usr/bin/env node
// The entry of the bundle. It checks the version of Node.js before it loads the exporter, whose imports an older one
// cannot resolve. The compile cache does not apply to the file that enables it, which is therefore not the exporter.
import { readFileSync } from "node:fs";
import nodeModule from "node:module";

// Until the exporter reloads for it, it must not end the process.
process.on("SIGHUP", () => undefined);

const { engines } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  engines: { node: string };
};
const needed = Number(/\d+/.exec(engines.node)?.[0]);

if (Number.parseInt(process.versions.node, 10) < needed) {
  process.stderr.write(
    `stacks-exporter needs Node.js ${needed} or later, found ${process.versions.node} (${process.execPath}).\n` +
      `With npm: npx --package=node@${needed} node ${process.argv[1]} …\n`,
  );
  process.exitCode = 1;
} else {
  nodeModule.enableCompileCache();
  await import(new URL("./exporter.js", import.meta.url).href);
}
