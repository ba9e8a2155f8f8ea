// Which exposition format a scrape gets. The package negotiator fails on Prometheus' `escaping=` parameter.
import type { Format } from "../exposition/text.ts";

/** Content types, exactly as the formats demand. */
export const CONTENT_TYPE: Readonly<Record<Format, string>> = {
  classic: "text/plain; version=0.0.4; charset=utf-8",
  openmetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8",
};

/**
 * The supported format of the highest quality, the earlier one of two with the same. A client that accepts neither gets
 * the classic format: Prometheus prefers it to a 406.
 */
export function negotiateFormat(accept = ""): Format {
  let best: { readonly format: Format; readonly quality: number } = { format: "classic", quality: 0 };
  for (const range of accept.toLowerCase().split(",")) {
    const [type = "", ...pairs] = range.split(";").map((piece) => piece.trim());
    const parameters = new Map(pairs.map((pair) => pair.split("=", 2).map(unquoted) as [string, string]));
    const format = formatOf(type, parameters.get("version"));
    const quality = Number(parameters.get("q") ?? 1);
    if (format !== undefined && quality > best.quality && quality <= 1) best = { format, quality };
  }
  return best.format;
}

const unquoted = (text: string) => text.trim().replace(/^"(.*)"$/, "$1");

function formatOf(type: string, version: string | undefined): Format | undefined {
  if (type === "application/openmetrics-text" && (version ?? "1.0.0") === "1.0.0") return "openmetrics";
  if (type === "text/plain" && (version ?? "0.0.4") === "0.0.4") return "classic";
  return type === "*/*" || type === "text/*" ? "classic" : undefined;
}
