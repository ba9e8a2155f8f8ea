// Keys of label sets.

// No label value contains a tab: label values from the API are validated.
const SEPARATOR = "\t";

/** The key of label values. */
export const keyOf = (...values: readonly string[]): string => values.join(SEPARATOR);

/** The label values of a key. */
export const valuesOf = (key: string): readonly string[] => key.split(SEPARATOR);
