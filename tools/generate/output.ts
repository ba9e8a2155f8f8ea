import { oneLine } from "../../alerts/model.ts";

/** Breaks prose into lines of at most 120 characters; lines after the first start with `indent`. */
export function wrap(text: string, indent = ""): string {
  const lines: string[] = [];
  for (const word of oneLine(text).split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < 120) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(`${lines.length === 0 ? "" : indent}${word}`);
  }
  return lines.join("\n");
}

/** A table of Markdown. */
export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

/** One generated file. */
export interface Output {
  /** From the root of the project. */
  readonly path: string;
  /** The whole content, with a line break at the end. */
  render(): string | Promise<string>;
}
