// Reads the files that an operator names: regular files only, without blocking, up to a limit.
import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { z } from "zod";

/** Reads a file of at most `maxBytes`: text, or bytes in UTF-8. */
export type ReadFile = (path: string, maxBytes: number) => string | Uint8Array | Promise<string | Uint8Array>;

/** The files that a configuration names; their names are relative to its folder. */
export interface NamedFiles {
  readonly folder: string;
  readonly readFile: ReadFile;
}

/** The longest files that are read. Bytes. */
export const MAX_BYTES = {
  /** 1 MiB of YAML takes about a second to parse at start. Long lists belong in watch files. */
  configuration: 2 * 1024 ** 2,
  key: 64 * 1024,
  certificate: 1024 ** 2,
  watchFile: 8 * 1024 ** 2,
} as const;

/** The text without byte order mark; undefined when it is not UTF-8. */
export function decode(content: string | Uint8Array): string | undefined {
  if (typeof content === "string") return content.replace(/^\uFEFF/, "");
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(content);
  } catch {
    return undefined;
  }
}

/** The text of a file; undefined when it cannot be read or is not UTF-8, which is reported. */
export async function readText(
  { folder, readFile }: NamedFiles,
  name: string,
  maxBytes: number,
  report: (message: string) => void,
): Promise<string | undefined> {
  try {
    const text = decode(await readFile(resolve(folder, name), maxBytes));
    if (text === undefined) report("expected a file with UTF-8 text, found other bytes");
    return text;
  } catch (error) {
    report(unusable(error));
    return undefined;
  }
}

/** A setting that names a file, with its absolute path and its text. @param wrong the error in a text, if any */
export const textFile = (files: NamedFiles, maxBytes: number, wrong: (text: string) => string | undefined = () => "") =>
  z
    .string()
    .min(1)
    .transform(async (name, { addIssue }) => {
      const text = await readText(files, name, maxBytes, addIssue);
      const message = text === undefined ? "" : wrong(text);
      if (message) addIssue(message);
      return { path: resolve(files.folder, name), text: text ?? "" };
    })
    .meta({ expected: "the path of a file" });

/** A file that is not read. The message is what was found instead. */
class UnusableFile extends Error {}

/**
 * Reads a regular file.
 * @throws UnusableFile for a FIFO, socket, device or folder, and for a file of more than `maxBytes`; a system error if
 * the file cannot be opened or read.
 */
export async function readRegularFile(path: string, maxBytes: number): Promise<Uint8Array> {
  const file = await stat(path);
  if (!file.isFile()) throw new UnusableFile("a folder, FIFO, socket or device; only regular files are read");
  if (file.size > maxBytes) throw new UnusableFile(`a file of more than ${maxBytes / 1024} KiB`);
  return readFile(path);
}

/** Why a file was not read, as a message. The system's own message quotes the whole path. */
export function unusable(error: unknown): string {
  if (error instanceof UnusableFile) return `expected a file that can be read, found ${error.message}`;
  const code = typeof error === "object" && error !== null && "code" in error ? String(error.code) : "unknown error";
  const found = { EACCES: "a file without permission to read it", ENOENT: "no such file" }[code] ?? code;
  return `expected a file that can be read, found ${found}`;
}
