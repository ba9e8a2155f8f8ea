// API keys: from the environment or from a file of their own, and fit to be sent in a header.
import { dirname, resolve } from "node:path";
import { valueAt } from "./check.ts";
import { isReference } from "./environment.ts";
import { MOST_BYTES, type ReadFile, unusable } from "./files.ts";
import type { Findings } from "./findings.ts";
import type { Path } from "./mistakes.ts";
import { Secret } from "./secret.ts";
import { decode } from "./source.ts";
import { KEY_LENGTH } from "./upstream-settings.ts";

const KEY = "expected a key of printable ASCII characters";
const LENGTH = `of ${KEY_LENGTH.shortest} to ${KEY_LENGTH.longest} characters`;

/** The key of one upstream; undefined when it has none, or when what is wrong with it was noted. */
export async function readKey(
  upstream: unknown,
  at: Path,
  { file, readFile, findings }: { file: string | undefined; readFile: ReadFile; findings: Findings },
): Promise<Secret | undefined> {
  const key = valueAt(upstream, ["api_key"]);
  const keyFile = valueAt(upstream, ["api_key_file"]);
  if (key !== undefined && keyFile !== undefined) {
    findings.add([...at, "api_key_file"], "expected either api_key or api_key_file, found both", "key");
    return undefined;
  }
  if (typeof key === "string") return fromEnvironment(key, [...at, "api_key"], findings);
  if (typeof keyFile !== "string" || findings.has([...at, "api_key_file"])) return undefined;

  const path = resolve(file === undefined ? "." : dirname(file), keyFile);
  return fromFile(path, [...at, "api_key_file"], { readFile, findings });
}

function fromEnvironment(key: string, path: Path, findings: Findings): Secret | undefined {
  if (findings.has(path)) return undefined;
  const origin = findings.originOf(path);
  if (!isReference(origin)) {
    findings.unexpected(path, key);
    return undefined;
  }
  const wrong = wrongWith(key, `the environment variable ${origin?.slice(2, -1)}`);
  if (wrong !== undefined) findings.add(path, wrong);
  return wrong === undefined ? new Secret(key) : undefined;
}

async function fromFile(
  name: string,
  path: Path,
  { readFile, findings }: { readFile: ReadFile; findings: Findings },
): Promise<Secret | undefined> {
  let content: string | Uint8Array;
  try {
    content = await readFile(name, MOST_BYTES.key);
  } catch (error) {
    findings.add(path, unusable(error));
    return undefined;
  }
  // Editors end a file with a line break, which is no part of the key.
  const key = decode(content)?.trim();
  const wrong = key === undefined ? `${KEY}, found a file that is no UTF-8 text` : wrongWith(key, "the file");
  if (wrong !== undefined) findings.add(path, wrong);
  return key === undefined || wrong !== undefined ? undefined : new Secret(key);
}

// Says nothing of the key but how it is wrong.
function wrongWith(key: string, where: string): string | undefined {
  if (key === "") return `${KEY}, found that ${where} is empty`;
  if (/[\r\n]/.test(key)) return `${KEY}, found a line break in ${where}`;
  if (key.trim() !== key) return `${KEY}, found white space around the key in ${where}`;
  if (!/^[\x20-\x7e]+$/.test(key)) return `${KEY}, found another character in ${where}`;
  // The redactor passes over spaces: a key of few other characters could not be masked.
  const isShort = key.replaceAll(" ", "").length < KEY_LENGTH.shortest;
  if (isShort || key.length > KEY_LENGTH.longest) {
    return `expected a key ${LENGTH}, found ${isShort ? "fewer" : "more"} in ${where}`;
  }
  return undefined;
}
