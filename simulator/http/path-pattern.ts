// Selects requests by path.

/** A pattern for paths without query. `*` matches anything; `{name}` in a template matches one part of a path. */
export function pathPattern(path: string): RegExp {
  const escaped = path.replace(/[.+?^$()|[\]\\]/g, "\\$&").replaceAll("*", ".*");
  return new RegExp(`^${escaped.replace(/\{\w+\}/g, "[^/]+")}$`);
}
