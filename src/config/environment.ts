// `${NAME}` in the file: replaced in the text of values, after the YAML was read, so that no value of the environment can
// become a key, a comment or a second setting.
import { formatPath, type Path } from "./mistakes.ts";

/** The environment as it is handed in. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What became of the values. */
export interface Expansion {
  readonly value: unknown;
  /** By path: the text as it stands in the file, for values that hold something of the environment. */
  readonly origins: ReadonlyMap<string, string>;
  readonly problems: readonly { readonly path: Path; readonly message: string }[];
}

const REFERENCE = /\$\$\{|\$\{([^}]*)\}?/g;
// biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of the file, shown to its author
const BAD_REFERENCE = 'expected the name of an environment variable in "${…}" (write "$${" for the text itself)';
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Whether a text is one reference and nothing else. */
export function isReference(text: unknown): boolean {
  return typeof text === "string" && /^\$\{[A-Za-z_][A-Za-z0-9_]*\}$/.test(text);
}

/** Replaces every `${NAME}` in the strings of `value`; `$${` gives `${`. */
export function expand(value: unknown, env: Environment): Expansion {
  const origins = new Map<string, string>();
  const problems: { path: Path; message: string }[] = [];

  const expandText = (text: string, path: Path): string => {
    let isExpanded = false;
    const result = text.replace(REFERENCE, (found, name: string | undefined) => {
      if (name === undefined) return "${";
      if (!NAME.test(name) || !found.endsWith("}")) {
        problems.push({
          path,
          message: BAD_REFERENCE,
        });
        return found;
      }
      const replacement = env[name];
      if (replacement === undefined) problems.push({ path, message: `the environment variable ${name} is not set` });
      isExpanded = true;
      return replacement ?? "";
    });
    if (isExpanded) origins.set(formatPath(path), text);
    return result;
  };

  const visit = (node: unknown, path: Path): unknown => {
    if (typeof node === "string") return expandText(node, path);
    if (Array.isArray(node)) return node.map((item, index) => visit(item, [...path, index]));
    if (typeof node !== "object" || node === null) return node;
    return Object.fromEntries(Object.entries(node).map(([key, item]) => [key, visit(item, [...path, key])]));
  };

  return { value: visit(value, []), origins, problems };
}
