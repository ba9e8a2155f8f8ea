// A file in OpenMetrics that is too large for memory: the lines of each family are in a separate file until all
// are known. The result appears under its name when it is complete.
import { closeSync, fsyncSync, mkdirSync, openSync, readSync, renameSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Family } from "../exposition/family.ts";
import { headerOf } from "../exposition/text.ts";

const BUFFER = Buffer.allocUnsafe(2 ** 20);

/** Writes the families of one file. */
export class FamilyFiles {
  readonly #path: string;
  readonly #folder: string;
  readonly #files = new Map<Family, number>();

  /** @param path of the result */
  constructor(path: string) {
    this.#path = path;
    this.#folder = `${path}.parts`;
    rmSync(this.#folder, { recursive: true, force: true });
    mkdirSync(this.#folder, { mode: 0o700 });
  }

  /** Appends lines of a family. */
  append(family: Family, lines: string): void {
    const file = this.#files.get(family) ?? openSync(join(this.#folder, family.name), "w+", 0o600);
    this.#files.set(family, file);
    writeAll(file, Buffer.from(lines));
  }

  /** Joins the families in this order; returns the size in bytes. Families that are not named must not have lines. */
  finish(order: readonly Family[]): number {
    const temporary = join(this.#folder, "all");
    const result = openSync(temporary, "w", 0o600);
    let size = 0;
    try {
      for (const family of order) {
        const file = this.#files.get(family);
        if (file === undefined) continue;
        size += writeAll(result, Buffer.from(headerOf(family, "openmetrics")));
        for (let at = 0; ; ) {
          const read = readSync(file, BUFFER, 0, BUFFER.length, at);
          if (read === 0) break;
          size += writeAll(result, BUFFER.subarray(0, read));
          at += read;
        }
      }
      size += writeAll(result, Buffer.from("# EOF\n"));
      fsyncSync(result);
    } finally {
      closeSync(result);
    }
    renameSync(temporary, this.#path);
    this.discard();
    return size;
  }

  /** Removes what was not finished. */
  discard(): void {
    for (const file of this.#files.values()) closeSync(file);
    this.#files.clear();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function writeAll(file: number, bytes: Buffer): number {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
  return bytes.length;
}
