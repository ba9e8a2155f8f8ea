import { expect, test } from "@jest/globals";
import { build } from "esbuild";
import { root, textOf } from "./files.ts";

test("the image is built from every source of the bundle", async () => {
  const { metafile } = await build({
    entryPoints: ["src/start.ts", "src/main.ts", "simulator/main.ts", "tools/build.ts", "tools/warm.ts"],
    absWorkingDir: root,
    outdir: "dist",
    bundle: true,
    packages: "external",
    format: "esm",
    platform: "node",
    metafile: true,
    write: false,
  });
  const taken = textOf(".dockerignore")
    .split("\n")
    .filter((line) => line.startsWith("!"))
    .map((line) => line.slice(1));
  const sources = Object.keys(metafile.inputs);

  expect(sources.length).toBeGreaterThan(100);
  expect(sources.filter((path) => !taken.some((one) => path === one || path.startsWith(`${one}/`)))).toEqual([]);
});
