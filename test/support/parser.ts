// A strict parser of both text formats, written from the formats' documents and sharing nothing with the renderer. It
// rejects everything that a strict consumer could reject. Prometheus accepts much more.

export interface ParsedSample {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly value: number;
  readonly text: string;
  /** Only counters of OpenMetrics have one. */
  readonly exemplar?: ParsedExemplar;
}

export interface ParsedExemplar {
  readonly labels: ReadonlyMap<string, string>;
  readonly value: number;
  /** Unix time in seconds. */
  readonly time: number | undefined;
}

export interface ParsedFamily {
  readonly name: string;
  readonly type: string;
  readonly samples: readonly ParsedSample[];
}

const NAME = /^[a-zA-Z_][a-zA-Z0-9_]*/;
const NUMBER = /^(?:[+-]Inf|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/;

function fail(line: number, what: string): never {
  throw new Error(`line ${line}: ${what}`);
}

function unescaped(text: string, isQuoteEscaped: boolean, line: number): string {
  let out = "";
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (character === '"' && isQuoteEscaped) fail(line, "bare quote");
    if (character !== "\\") {
      out += character;
      continue;
    }
    index += 1;
    const escaped = text.charAt(index);
    if (escaped === "n") out += "\n";
    else if (escaped === "\\") out += "\\";
    else if (escaped === '"' && isQuoteEscaped) out += '"';
    else fail(line, `bad escape \\${escaped}`);
  }
  return out;
}

/** The labels at the start of a text, and what follows them. */
function parseLabels(text: string, line: number): { labels: Map<string, string>; rest: string } {
  const labels = new Map<string, string>();
  let rest = text;
  if (rest.startsWith("{")) {
    rest = rest.slice(1);
    if (rest.startsWith("}")) fail(line, "empty braces");
    for (;;) {
      const label = NAME.exec(rest)?.[0] ?? fail(line, "no label name");
      const quoted =
        /^="((?:[^"\\]|\\.)*)"/s.exec(rest.slice(label.length)) ?? fail(line, `no value of label ${label}`);
      if (labels.has(label)) fail(line, `label ${label} twice`);
      labels.set(label, unescaped(quoted[1] ?? "", true, line));
      rest = rest.slice(label.length + quoted[0].length);
      if (rest.startsWith(",")) rest = rest.slice(1);
      else if (rest.startsWith("}")) break;
      else fail(line, "label set does not end");
    }
    rest = rest.slice(1);
  }
  if (!rest.startsWith(" ")) fail(line, "no space before the value");
  return { labels, rest: rest.slice(1) };
}

function parseNumber(text: string, line: number): number {
  if (!NUMBER.test(text)) fail(line, `bad value ${JSON.stringify(text)}`);
  return text === "+Inf" ? Infinity : text === "-Inf" ? -Infinity : Number(text);
}

function parseSample(text: string, line: number): ParsedSample {
  const name = NAME.exec(text)?.[0] ?? fail(line, "no metric name");
  const { labels, rest } = parseLabels(text.slice(name.length), line);
  const [value = "", after] = rest.split(/ # (?=\{)/s, 2);
  const exemplar = after === undefined ? {} : { exemplar: parseExemplar(after, line) };
  return { name, labels, value: parseNumber(value, line), text: value, ...exemplar };
}

function parseExemplar(text: string, line: number): ParsedExemplar {
  const { labels, rest } = parseLabels(text, line);
  const characters = [...labels].map(([name, value]) => [...name, ...value].length).reduce((a, b) => a + b, 0);
  if (characters > 128) fail(line, `an exemplar of ${characters} characters`);
  const [value = "", time, ...more] = rest.split(" ");
  if (more.length > 0) fail(line, "text after the time of an exemplar");
  return { labels, value: parseNumber(value, line), time: time === undefined ? undefined : parseNumber(time, line) };
}

const SUFFIXES: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  classic: { gauge: [""], counter: [""] },
  openmetrics: { gauge: [""], counter: ["_total"] },
};

interface Open {
  name: string;
  type: string | undefined;
  help: string | undefined;
  samples: ParsedSample[];
}

/** Parses a page; throws at the first violation of the format. */
export function parseExposition(page: string, format: "classic" | "openmetrics"): ParsedFamily[] {
  if (page === "" && format === "classic") return [];
  if (!page.endsWith("\n")) throw new Error("the last line does not end");
  const lines = page.slice(0, -1).split("\n");
  if (format === "openmetrics" && lines.pop() !== "# EOF") throw new Error("no # EOF at the end");
  const families = new Map<string, Open>();
  const series = new Set<string>();
  let open: Open | undefined;

  for (const [index, text] of lines.entries()) {
    const line = index + 1;
    if (text === "") fail(line, "blank line");
    const meta = /^# (HELP|TYPE|UNIT) (\S+)(?: (.*))?$/s.exec(text);
    if (meta !== null) {
      const [, keyword, name = "", rest = ""] = meta;
      if (open?.name !== name) {
        if (families.has(name)) fail(line, `family ${name} is repeated`);
        open = { name, type: undefined, help: undefined, samples: [] };
        families.set(name, open);
      }
      if (open.samples.length > 0) fail(line, `${keyword} after the samples of ${name}`);
      if (keyword === "TYPE") {
        if (open.type !== undefined) fail(line, "TYPE twice");
        if (!(rest in (SUFFIXES[format] ?? {}))) fail(line, `unknown type ${rest}`);
        if (format === "openmetrics" && rest === "counter" && name.endsWith("_total"))
          fail(line, "counter family named _total");
        open.type = rest;
      } else if (keyword === "HELP") {
        if (open.help !== undefined) fail(line, "HELP twice");
        open.help = format === "openmetrics" ? unescaped(rest, true, line) : unescaped(rest, false, line);
      } else {
        if (format === "classic") fail(line, "UNIT in the classic format");
        if (!name.endsWith(`_${rest}`)) fail(line, `unit ${rest} is not a suffix of ${name}`);
      }
      continue;
    }
    if (text.startsWith("#")) fail(line, "a comment that is not metadata");
    const sample = parseSample(text, line);
    if (open === undefined || open.type === undefined || open.help === undefined)
      fail(line, "sample without TYPE and HELP");
    const suffixes = SUFFIXES[format]?.[open.type] ?? [];
    const family = open.name;
    if (!suffixes.some((suffix) => sample.name === `${family}${suffix}`)) fail(line, `${sample.name} inside ${family}`);
    if (sample.exemplar !== undefined && (format === "classic" || open.type !== "counter"))
      fail(line, "an exemplar outside the counters of OpenMetrics");
    const key = `${sample.name}${JSON.stringify([...sample.labels].sort())}`;
    if (series.has(key)) fail(line, `series twice: ${key}`);
    series.add(key);
    open.samples.push(sample);
  }
  return [...families.values()].map((family) => {
    if (family.type === "counter")
      for (const { value } of family.samples) if (!(value >= 0)) throw new Error(`${family.name}: ${value}`);
    return { ...family, type: family.type ?? "" };
  });
}
