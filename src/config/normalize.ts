// Values before they are checked: the environment filled in, empty groups completed, and settings replaced by flags.
import type { ErrorList } from "./errors.ts";
import { isMapping, type Path } from "./paths.ts";
import type { SchemaNode } from "./schema.ts";

/** Environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>;

interface Context {
  /** Undefined: text stays as it is. */
  readonly env: Environment | undefined;
  readonly errors: ErrorList;
}

/** The value of a setting, as the schema can check it. */
export function normalize(value: unknown, node: SchemaNode | undefined, path: Path, context: Context): unknown {
  const { env, errors } = context;
  if (typeof value === "string" && node?.isReference !== true && env !== undefined) {
    return group(expandText(value, node, path, { env, errors }), node);
  }
  if (Array.isArray(value)) {
    return value.map((item, index) => normalize(item, node?.items, [...path, index], context));
  }
  const mapping = group(value, node);
  if (!isMapping(mapping)) return mapping;
  const settings = Object.entries(mapping).map(([key, child]) => {
    const known = node?.properties ?? {};
    const at = Object.hasOwn(known, key) ? known[key] : node?.additionalProperties || undefined;
    return [key, normalize(child, at, [...path, key], context)];
  });
  return Object.fromEntries(settings);
}

// A group is empty when all of its settings are commented out. A word can stand for a group.
function group(value: unknown, node: SchemaNode | undefined): unknown {
  if (node?.type !== "object") return value;
  if (value === null) return {};
  return typeof value === "string" ? (node.words?.[value] ?? value) : value;
}

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
  { env, errors }: { readonly env: Environment; readonly errors: ErrorList },
): unknown {
  let isExpanded = false;
  const expanded = text.replace(REFERENCE, (found, name: string | undefined) => {
    if (name === undefined) return "${";
    if (!NAME.test(name) || !found.endsWith("}")) {
      errors.add(path, BAD_REFERENCE);
      return found;
    }
    isExpanded = true;
    const value = env[name];
    if (value === undefined) errors.add(path, notSet(name));
    return value ?? "";
  });
  if (!isExpanded) return expanded;
  errors.markExpanded(path, text);
  // The environment has text only: if the setting is not text, it can be a number, true or false.
  const isLiteral = node !== undefined && node.type !== "string" && LITERAL.test(expanded);
  return isLiteral ? JSON.parse(expanded.replace(/^(-?)0+(?=\d)/, "$1")) : expanded;
}

/** The message for an environment variable that does not exist. */
export const notSet = (name: string): string => `the environment variable ${name} is not set`;

/** The flags that are settings, by the name of their option. */
export const FLAGS = {
  listen: { flag: "--listen", path: ["listen"] },
  webConfigFile: { flag: "--web.config.file", path: ["web", "config_file"] },
  probeAddress: { flag: "--web.probe-address", path: ["web", "probe_address"] },
  logLevel: { flag: "--log-level", path: ["log", "level"] },
  logFormat: { flag: "--log-format", path: ["log", "format"] },
} as const;

/** Flags that are settings, as they were given. */
export type Flags = { readonly [Name in keyof typeof FLAGS]?: string | readonly string[] | undefined };

/** The flags that were given, by the path of their setting. */
export function flagsByPath(flags: Flags): ReadonlyMap<string, string> {
  return new Map(givenIn(flags).map(({ flag, path }) => [path.join("."), flag]));
}

/** The settings of the file, with those of the flags in their place. */
export function withFlags(root: unknown, flags: Flags): unknown {
  return givenIn(flags).reduce<unknown>((settings, { path, value }) => replaceAt(settings, path, value), root);
}

const givenIn = (flags: Flags) =>
  Object.entries(FLAGS).flatMap(([name, { flag, path }]) => {
    const value = flags[name as keyof Flags];
    return value === undefined ? [] : [{ flag, path, value }];
  });

function replaceAt(settings: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value;
  return isMapping(settings) ? { ...settings, [key]: replaceAt(settings[key] ?? {}, rest, value) } : settings;
}
