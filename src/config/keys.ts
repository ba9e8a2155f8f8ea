// API keys: from the environment or from a file of their own, and fit to be sent in a header.
import { dirname, resolve } from "node:path";
import { valueAt } from "./check.ts";
import { isReference } from "./environment.ts";
import type { Findings } from "./findings.ts";
import type { Path } from "./mistakes.ts";
import { Secret } from "./secret.ts";
import { KEY_LENGTH } from "./settings.ts";
import { decode } from "./source.ts";

/** Reads a file: text, or bytes that are UTF-8. */
export type ReadFile = (path: string) => string | Uint8Array | Promise<string | Uint8Array>;

const KEY = "expected a key of printable ASCII characters";
const LENGTH = `of ${KEY_LENGTH.shortest} to ${KEY_LENGTH.longest} characters`;

/** The key of one network; undefined when it has none, or when what is wrong with it was noted. */
export async function readKey(
  network: unknown,
  at: Path,
  { file, readFile, findings }: { file: string | undefined; readFile: ReadFile; findings: Findings },
): Promise<Secret | undefined> {
  const key = valueAt(network, ["api_key"]);
  const keyFile = valueAt(network, ["api_key_file"]);
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
    content = await readFile(name);
  } catch (error) {
    // Messages of the file system quote the path as the system sees it; its code says as much.
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
    findings.add(path, `expected a file that can be read, found ${REASONS[code] ?? code}`);
    return undefined;
  }
  // Editors end a file with a line break, which is no part of the key.
  const key = decode(content)?.trim();
  const wrong = key === undefined ? `${KEY}, found a file that is no UTF-8 text` : wrongWith(key, "the file");
  if (wrong !== undefined) findings.add(path, wrong);
  return key === undefined || wrong !== undefined ? undefined : new Secret(key);
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "no such file",
  EACCES: "a file without permission to read it",
  EISDIR: "a folder",
};

// Says nothing of the key but how it is wrong.
function wrongWith(key: string, where: string): string | undefined {
  if (key === "") return `${KEY}, found that ${where} is empty`;
  if (/[\r\n]/.test(key)) return `${KEY}, found a line break in ${where}`;
  if (key.trim() !== key) return `${KEY}, found white space around the key in ${where}`;
  if (!/^[\x20-\x7e]+$/.test(key)) return `${KEY}, found another character in ${where}`;
  if (key.length < KEY_LENGTH.shortest || key.length > KEY_LENGTH.longest) {
    return `expected a key ${LENGTH}, found ${key.length < KEY_LENGTH.shortest ? "fewer" : "more"} in ${where}`;
  }
  return undefined;
}
