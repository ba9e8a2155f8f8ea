// Reads files for the tests of deploy/.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parse, parseAllDocuments } from "yaml";

export const root = fileURLToPath(new URL("../../", import.meta.url));

export const textOf = (path: string): string => readFileSync(resolve(root, path), "utf8");

/** A YAML file of one document, merge keys resolved. The shape is the caller's to know: the assertions are about it. */
export const yamlOf = <T>(path: string): T => parse(textOf(path), { merge: true }) as T;

/** Every document of a YAML file. */
export const documentsOf = <T>(path: string): T[] =>
  parseAllDocuments(textOf(path)).map((document) => document.toJS() as T);
