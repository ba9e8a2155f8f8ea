// Relative links in the documentation point to existing files and headings, and the files that it names exist.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";

const root = fileURLToPath(new URL("../../", import.meta.url));
const pages = ["docs", "deploy"]
  .flatMap((folder) =>
    readdirSync(root + folder, { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`),
  )
  .concat(readdirSync(root))
  .filter((name) => name.endsWith(".md"));

const anchorsOf = (page: string) =>
  [...readFileSync(page, "utf8").matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );

test.each(pages)("links of %s", (page) => {
  const links = [...readFileSync(resolve(root, page), "utf8").matchAll(/\]\((?!https?:)([^)\s#]*)(?:#([^)\s]*))?\)/g)];
  const dead = links.filter(([, path = "", anchor]) => {
    const target = path === "" ? resolve(root, page) : resolve(root, dirname(page), path);
    return !existsSync(target) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
  });

  expect(dead.map(([link]) => link)).toEqual([]);
});

test("the files that the pages name exist", () => {
  const named = pages.flatMap((page) =>
    [
      ...readFileSync(resolve(root, page), "utf8").matchAll(
        /`((?:src|test|tools|alerts|dashboards|simulator|docs|deploy)\/[\w./-]+)`/g,
      ),
    ].map(([, path = ""]) => path),
  );

  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((path) => !existsSync(root + path))).toEqual([]);
});
