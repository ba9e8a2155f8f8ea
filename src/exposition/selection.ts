// Selects the exposed metric families by names and patterns of the configuration. Pure.

/** Names of families, or patterns in which `*` stands for any characters. */
export interface Selection {
  /** Empty: all. */
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/** Whether a pattern matches the whole name. */
export function matchesName(pattern: string, name: string): boolean {
  const parts = pattern.split("*").map((part) => part.replace(/[^\w]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`).test(name);
}

/** Returns whether the family of a name is exposed: it is allowed and not denied. */
export function isSelected({ allow, deny }: Selection): (name: string) => boolean {
  const matches = (patterns: readonly string[], name: string) => patterns.some((one) => matchesName(one, name));
  return (name) => (allow.length === 0 || matches(allow, name)) && !matches(deny, name);
}
