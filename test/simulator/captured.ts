// Answers of a real server, as recorded.
import { readFileSync } from "node:fs";

/** A recorded answer; header names in lower case. */
export interface Captured {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** Reads `test/responses/captured/<name>.http`. */
export function captured(name: string): Captured {
  const text = readFileSync(new URL(`../responses/captured/${name}.http`, import.meta.url), "utf8");
  const [head = "", body = ""] = text.split(/\r?\n\r?\n/, 2);
  const [first = "", ...lines] = head.split(/\r?\n/);
  const headers = lines.map((line): [string, string] => {
    const [key = "", ...value] = line.split(": ");
    return [key.toLowerCase(), value.join(": ")];
  });
  return { status: Number(first.split(" ")[1]), headers: new Map(headers), body: body.trim() };
}
