// Values that are not checked yet, and the paths of settings in them.

/** Path of a setting: keys and indices from the top. */
export type Path = readonly (string | number)[];

/** Whether a value is a mapping. */
export function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The entries of a list; none when the value is not a list. */
export const entriesOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The value at a path; undefined when there is none. */
export function valueAt(root: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, step) =>
      typeof value === "object" && value !== null && Object.hasOwn(value, step)
        ? (value as Readonly<Record<string | number, unknown>>)[step] // reading any key of an object is safe
        : undefined,
    root,
  );
}
