// Values before they are checked: the environment filled in, empty groups completed, and settings replaced by flags.
import { formatPath, type Issue, issueAt } from "./errors.ts";
import { isMapping, type Path } from "./paths.ts";
import type { SchemaNode } from "./schema.ts";

/** Environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment, and what is found of it in values. */
interface Context {
  readonly env: Environment;
  readonly issues: Issue[];
  /** Receives the text of the file, by path, of values that contain text from the environment. */
  readonly expanded: Map<string, string>;
}

/** The value of a setting, as the schema can check it. Without `context`, text stays as it is. */
export function normalize(value: unknown, node: SchemaNode | undefined, path: Path = [], context?: Context): unknown {
  if (Array.isArray(value)) return value.map((item, index) => normalize(item, node?.items, [...path, index], context));
  const isText = typeof value === "string" && node?.isReference !== true && context !== undefined;
  const given = isText ? expandText(value, node, path, context) : value;
  const mapping = node?.type === "object" ? asGroup(given, node) : given;
  if (!isMapping(mapping)) return mapping;
  const settings = Object.entries(mapping).map(([key, child]) => {
    const known = node?.properties ?? {};
    const at = Object.hasOwn(known, key) ? known[key] : node?.additionalProperties || undefined;
    return [key, normalize(child, at, [...path, key], context)];
  });
  return Object.fromEntries(settings);
}

// A group is empty when all of its settings are commented out. A word can stand for a group.
const asGroup = (value: unknown, { words }: SchemaNode) =>
  value === null ? {} : typeof value === "string" ? (words?.[value] ?? value) : value;

const REFERENCE = /\$\$\{|\$\{([^}]*)\}?/g;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
// biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of the file, shown to its author
const BAD_REFERENCE = 'expected the name of an environment variable in "${…}" (write "$${" for the text itself)';
const LITERAL = /^(?:-?\d{1,15}(?:\.\d{1,15})?|true|false)$/;

// After the YAML was parsed, so that a value of the environment cannot become a key, a comment or a second setting.
function expandText(
  text: string,
  node: SchemaNode | undefined,
  path: Path,
  { env, issues, expanded }: Context,
): unknown {
  let isExpanded = false;
  const whole = text.replace(REFERENCE, (found, name: string | undefined) => {
    if (name === undefined) return "${";
    const isName = NAME.test(name) && found.endsWith("}");
    isExpanded ||= isName;
    if (isName && env[name] !== undefined) return env[name];
    issues.push(issueAt(path, isName ? notSet(name) : BAD_REFERENCE));
    return found;
  });
  if (!isExpanded) return whole;
  expanded.set(formatPath(path), text);
  // The environment has text only: if the setting is not text, it can be a number, true or false.
  const isLiteral = node !== undefined && node.type !== "string" && LITERAL.test(whole);
  return isLiteral ? JSON.parse(whole.replace(/^(-?)0+(?=\d)/, "$1")) : whole;
}

/** The message for an environment variable that does not exist. */
export const notSet = (name: string): string => `the environment variable ${name} is not set`;

/** The settings that flags replace, and their flags. */
export const FLAGS = {
  listen: "--listen",
  "web.config_file": "--web.config.file",
  "web.probe_address": "--web.probe-address",
  "log.level": "--log-level",
  "log.format": "--log-format",
} as const;

/** Flags that are settings, as they were given, by the path of the setting. */
export type Flags = { readonly [Path in keyof typeof FLAGS]?: string | undefined };

/** The settings of the file with those of the flags in their place, and the flags that were given by their path. */
export function withFlags(root: unknown, flags: Flags): readonly [root: unknown, given: ReadonlyMap<string, string>] {
  const given = Object.entries(FLAGS).filter(([path]) => flags[path as keyof Flags] !== undefined);
  const replaced = given.reduce<unknown>(
    (settings, [path]) => replaceAt(settings, path.split("."), flags[path as keyof Flags]),
    root,
  );
  return [replaced, new Map(given)];
}

function replaceAt(settings: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value;
  return isMapping(settings) ? { ...settings, [key]: replaceAt(settings[key] ?? {}, rest, value) } : settings;
}
