// Parses fields that users type into a query. Every field is checked.

/** Thrown for invalid input; the message goes to the user. */
export class InputError extends Error {}

/** Parses one value; undefined for an invalid one. */
export type Field = (value: string) => string | number | boolean | undefined;
export type Fields = Readonly<Record<string, Field>>;

const atLeast =
  (min: number): Field =>
  (value) =>
    value !== "" && Number(value) >= min && Number(value) <= 2 ** 52 ? Number(value) : undefined;
export const whole =
  (min: number): Field =>
  (value) =>
    Number.isInteger(Number(value)) ? atLeast(min)(value) : undefined;
export const number = atLeast(0);
export const flag: Field = (value) => ({ true: true, "1": true, "": true, false: false, "0": false })[value];
export const text: Field = (value) => (value === "" ? undefined : value);
export const oneOf =
  (...allowed: readonly string[]): Field =>
  (value) =>
    allowed.includes(value) ? value : undefined;

/** Parses all entries. Throws an InputError for an unknown field or an invalid value. */
export function parseFields(entries: Iterable<readonly [string, string]>, fields: Fields, owner: string) {
  const parsed: Record<string, unknown> = {};
  for (const [name, value] of entries) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (field === undefined) {
      throw new InputError(`${name} is not a field of ${owner}; it has ${Object.keys(fields).join(", ")}`);
    }
    const result = field(value);
    if (result === undefined) throw new InputError(`${name} cannot be ${JSON.stringify(value)}`);
    parsed[name] = result;
  }
  return parsed;
}
