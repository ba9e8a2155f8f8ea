// Which format and encoding a scrape gets.
import type { Format } from "../exposition/header.ts";

/** Content types, exactly as the formats demand. */
export const CONTENT_TYPE: Readonly<Record<Format, string>> = {
  classic: "text/plain; version=0.0.4; charset=utf-8",
  openmetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8",
};

interface Choice {
  readonly value: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

function parse(header: string): Choice[] {
  return header
    .split(",")
    .map((part) => {
      const [value = "", ...rest] = part.split(";").map((piece) => piece.trim().toLowerCase());
      const parameters = new Map(
        rest.map((piece): [string, string] => {
          const [name = "", text = ""] = piece.split("=", 2);
          return [name.trim(), text.trim().replace(/^"(.*)"$/, "$1")];
        }),
      );
      const quality = Number(parameters.get("q") ?? 1);
      return { value, parameters, quality: quality >= 0 && quality <= 1 ? quality : 0 };
    })
    .filter(({ value }) => value !== "");
}

function formatOf({ value, parameters }: Choice): Format | undefined {
  const version = parameters.get("version");
  if (value === "application/openmetrics-text" && (version === undefined || version === "1.0.0")) return "openmetrics";
  if (value === "text/plain" && (version === undefined || version === "0.0.4")) return "classic";
  return value === "*/*" || value === "text/*" ? "classic" : undefined;
}

/**
 * The format of the highest quality that we speak; the earlier one when two are equal. Whoever accepts neither gets the
 * classic text all the same, as Prometheus asks of servers: a page is worth more than a 406.
 */
export function negotiateFormat(accept: string | undefined): Format {
  let best: { format: Format; quality: number } = { format: "classic", quality: 0 };
  for (const choice of parse(accept ?? "")) {
    const format = formatOf(choice);
    if (format !== undefined && choice.quality > best.quality) best = { format, quality: choice.quality };
  }
  return best.format;
}

/** Whether the answer may be compressed with gzip. */
export function acceptsGzip(acceptEncoding: string | undefined): boolean {
  const choices = parse(acceptEncoding ?? "");
  const choice =
    choices.find(({ value }) => value === "gzip" || value === "x-gzip") ?? choices.find(({ value }) => value === "*");
  return choice !== undefined && choice.quality > 0;
}
