// What an installation changes in rules and boards. The declarations contain tokens, such as
// `%(StacksFeeSpike.feeRatio)s`, which are replaced by values here, and in the same way in the Helm chart.
import { type Duration, LIMITS } from "./thresholds.ts";

/** The name of an alert. */
export type AlertName = keyof typeof LIMITS;

/** The values, as docs/alerts.md describes them. */
export interface Values {
  readonly selector: string;
  readonly clusterLabel: string;
  readonly namespaceLabel: string;
  readonly runbookUrl: string;
  readonly grafanaUrl: string;
  readonly additionalLabels: Readonly<Record<string, string>>;
  readonly disabled: Readonly<Partial<Record<AlertName, boolean>>>;
  readonly thresholds: Readonly<Record<AlertName, Readonly<Record<string, number | Duration>>>>;
}

/** The values of the shipped rules and boards. The runbooks are those of an exporter on the machine of the reader. */
export const DEFAULTS: Values = {
  selector: "",
  clusterLabel: "cluster",
  namespaceLabel: "namespace",
  runbookUrl: "http://127.0.0.1:10789/runbooks",
  grafanaUrl: "",
  additionalLabels: {},
  disabled: { StacksFeeAbsolute: true },
  thresholds: LIMITS,
};

type Tokens<Name extends AlertName> = Readonly<Record<keyof (typeof LIMITS)[Name], string>>;

/** The tokens of the limits of an alert. */
export function limitsOf<Name extends AlertName>(alert: Name): Tokens<Name> {
  const tokens = Object.keys(LIMITS[alert]).map((limit) => [limit, `%(${alert}.${limit})s`]);
  return Object.fromEntries(tokens) as Tokens<Name>; // the keys are those of LIMITS
}

/** The token of a multiple of a limit. */
export const scaled = (token: string, factor: number): string =>
  factor === 1 ? token : token.replace(/\)s$/, `*${factor})s`);

// A string of JSON that is only a token becomes a number if the value is one.
const TOKEN = /("?)%\((\w+)(?:\.(\w+)(?:\*([\d.]+))?)?\)s(\1)/g;

function valueAt(values: Values, name: string, limit: string | undefined, factor: number): unknown {
  if (limit === undefined) return values[name as keyof Values];
  const value = values.thresholds[name as AlertName]?.[limit];
  // Without the rounding errors of binary fractions: 7, not 7.000000000000001.
  return typeof value === "number" ? Number((value * factor).toPrecision(12)) : value;
}

/** A template of rules or boards with values. Throws for a token without a value. */
export function filled<Template>(template: Template, values: Values): Template {
  const escaped = (text: unknown) => JSON.stringify(String(text)).slice(1, -1);
  const { selector } = values;
  const text = JSON.stringify(template)
    .replaceAll("{%(selector)s}", selector === "" ? "" : "{%(selector)s}")
    .replaceAll("%(selector)s, ", selector === "" ? "" : "%(selector)s, ")
    .replace(TOKEN, (token, open: string, name: string, limit: string | undefined, factor = "1") => {
      const value = valueAt(values, name, limit, Number(factor));
      if (value === undefined) throw new Error(`there is no value for ${token}`);
      return open === "" ? escaped(value) : JSON.stringify(value);
    });
  return JSON.parse(text) as Template;
}
