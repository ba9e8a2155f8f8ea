// Reads the values of rules and boards: thresholds, disabled alerts, labels, links.
import { z } from "zod";
import { LIMITS, type Limits } from "../../alerts/thresholds.ts";
import { type AlertName, DEFAULTS, type Values } from "../../alerts/values.ts";
import { errorsOf, formatErrors } from "../config/errors.ts";
import { NO_DOCUMENT, openDocument, readRegularFile } from "../config/files.ts";
import { treeOf } from "../config/schema.ts";
import { url } from "../config/values.ts";
import { CommandError } from "./io.ts";

const ALERTS = Object.keys(LIMITS) as AlertName[];

const LABEL_NAME = "the name of a label, of letters, digits and _";
const labelName = z
  .string()
  .regex(/^[a-zA-Z_][a-zA-Z0-9_]*$/, LABEL_NAME)
  .meta({ expected: LABEL_NAME });
const MATCHER = String.raw`\s*[a-zA-Z_]\w*\s*(=|!=|=~|!~)\s*"([^"\\]|\\.)*"\s*`;
const DURATION = "a duration such as 90s, 5m or 1h";
const duration = (form: RegExp, expected: string) => z.string().regex(form).meta({ expected });
const time = duration(/^\d+[smhd]$/, DURATION);
// Prometheus refuses a range of 0s.
const range = duration(/^0*[1-9]\d*[smhd]$/, `${DURATION}, above 0`);
function limitOf(limit: string, value: number | string | undefined) {
  if (typeof value === "number") return z.number().min(0).meta({ expected: "a number from 0" });
  return limit === "window" ? range : time;
}

const alertsWith = <Value extends z.ZodType>(value: (alert: AlertName) => Value) =>
  z.strictObject(Object.fromEntries(ALERTS.map((alert) => [alert, value(alert).optional()])));

const settings = z.strictObject({
  selector: z
    .string()
    .regex(new RegExp(`^(${MATCHER}(,${MATCHER})*)?$`))
    .meta({ expected: 'matchers such as job="stacks-exporter", cluster="eu"' })
    .optional(),
  clusterLabel: labelName.optional(),
  namespaceLabel: labelName.optional(),
  runbookUrl: url.optional(),
  grafanaUrl: url.optional(),
  additionalLabels: z.record(labelName, z.string().meta({ expected: "text" })).optional(),
  disabled: alertsWith(() => z.boolean()).optional(),
  thresholds: alertsWith((alert) => {
    const limits = Object.entries<Limits[string]>(LIMITS[alert]);
    return z.strictObject(
      Object.fromEntries(limits.map(([limit, value]) => [limit, limitOf(limit, value).optional()])),
    );
  }).optional(),
});

/** The schema of a file of values. */
export const valuesTree = treeOf(settings);

/** The values of a file, or without one the defaults. @throws CommandError with everything that is wrong with it */
export async function readValues(file: string | undefined, defaults: Partial<Values>): Promise<Values> {
  const document = file === undefined ? NO_DOCUMENT : await openDocument(file, readRegularFile);
  const root = document.value ?? {};
  const { data = {}, error } = settings.safeParse(root);
  const errors = [...document.errors, ...errorsOf(error?.issues ?? [], { ...document, tree: valuesTree, root })];
  if (errors.length > 0) throw new CommandError(formatErrors(errors));
  const limits = ALERTS.map((alert) => [alert, { ...LIMITS[alert], ...data.thresholds?.[alert] }]);
  return {
    ...DEFAULTS,
    ...defaults,
    ...data,
    disabled: { ...DEFAULTS.disabled, ...data.disabled },
    thresholds: Object.fromEntries(limits),
  } as Values; // the keys of thresholds are those of LIMITS
}
