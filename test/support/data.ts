// Data of tests in YAML files.
import { readFileSync } from "node:fs";
import { parse } from "yaml";

/** The content of a file beside a test. @param url `import.meta.url` */
export const dataOf = <Content>(name: string, url: string): Content =>
  parse(readFileSync(new URL(name, url), "utf8"), { merge: true });
