// The lines above the samples of a family, in both formats.
import type { Family } from "./family.ts";

/** The two text formats: classic 0.0.4, and OpenMetrics 1.0. */
export type Format = "classic" | "openmetrics";

const known = new Map<Format, WeakMap<Family, Buffer>>([
  ["classic", new WeakMap()],
  ["openmetrics", new WeakMap()],
]);

function escapeHelp(text: string, format: Format): string {
  const escaped = text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
  return format === "openmetrics" ? escaped.replaceAll('"', '\\"') : escaped;
}

function render(family: Family, format: Format): string {
  const help = escapeHelp(family.help, format);
  if (format === "classic") return `# HELP ${family.name} ${help}\n# TYPE ${family.name} ${family.kind}\n`;
  // OpenMetrics names a counter's family without the suffix of its samples.
  const name = family.kind === "counter" ? family.name.replace(/_total$/, "") : family.name;
  const unit = family.unit === undefined ? "" : `# UNIT ${name} ${family.unit}\n`;
  return `# TYPE ${name} ${family.kind}\n${unit}# HELP ${name} ${help}\n`;
}

/** HELP, TYPE and (OpenMetrics) UNIT of a family. */
export function headerOf(family: Family, format: Format): Buffer {
  const headers = known.get(format);
  let header = headers?.get(family);
  if (header === undefined) {
    header = Buffer.from(render(family, format));
    headers?.set(family, header);
  }
  return header;
}
