// Numbers as text, Markdown tables, and the line about the machine of a benchmark.
import { execFileSync } from "node:child_process";
import { cpus, totalmem, type } from "node:os";

/** Date, commit, machine and version of Node.js. */
export function environment(): string {
  const [cpu] = cpus();
  const machine = `${cpus().length} × ${cpu?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB`;
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
  return `${new Date().toISOString().slice(0, 10)}, commit ${commit}, ${machine}, ${type()}, Node.js ${process.version}`;
}

/** The middle value. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Three significant digits, with thousands separators. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return "not measured";
  const rounded = Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3));
  return rounded.toLocaleString("en-US", { maximumFractionDigits: 4 });
}

/** A Markdown table; all columns but the first are aligned right. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(header), line(header.map((_, column) => (column === 0 ? "---" : "---:"))), ...rows.map(line)].join("\n");
}
