// As much of a JSON Schema validator as the schema of the configuration needs. It throws on keywords that it does not
// know.

interface Schema {
  readonly [keyword: string]: unknown;
}

const NOTES = new Set(["$schema", "$defs", "title", "description", "default", "examples"]);

const typeOf = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "array" : Number.isInteger(value) ? "integer" : typeof value;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeOf(value) === "object";

/** Paths at which the value does not conform. */
export function violations(schema: Schema, value: unknown, root: Schema = schema, path = "$"): string[] {
  return Object.entries(schema).flatMap(([keyword, rule]) =>
    NOTES.has(keyword) ? [] : violationsOf(keyword, rule, { schema, value, root, path }),
  );
}

interface Place {
  readonly schema: Schema;
  readonly value: unknown;
  readonly root: Schema;
  readonly path: string;
}

function violationsOf(keyword: string, rule: unknown, { schema, value, root, path }: Place): string[] {
  const check = (isFine: boolean) => (isFine ? [] : [`${path}: ${keyword}`]);
  const isValid = (candidate: unknown) => violations(candidate as Schema, value, root, path).length === 0;
  switch (keyword) {
    case "$ref": {
      const name = String(rule).replace("#/$defs/", "");
      return violations((root.$defs as Record<string, Schema>)[name] ?? {}, value, root, path);
    }
    case "type":
      return check(
        [rule].flat().some((type) => type === typeOf(value) || (type === "number" && typeof value === "number")),
      );
    case "enum":
      return check((rule as unknown[]).includes(value));
    case "const":
      return check(rule === value);
    case "anyOf":
      return check((rule as unknown[]).some(isValid));
    case "not":
      return check(!isValid(rule));
    case "pattern":
      return check(typeof value !== "string" || new RegExp(String(rule), "u").test(value));
    case "minimum":
      return check(typeof value !== "number" || value >= Number(rule));
    case "maximum":
      return check(typeof value !== "number" || value <= Number(rule));
    case "exclusiveMinimum":
      return check(typeof value !== "number" || value > Number(rule));
    case "minItems":
      return check(!Array.isArray(value) || value.length >= Number(rule));
    case "maxItems":
      return check(!Array.isArray(value) || value.length <= Number(rule));
    case "required":
      return check(!isObject(value) || (rule as string[]).every((key) => key in value));
    case "additionalProperties":
      return check(!isObject(value) || Object.keys(value).every((key) => key in (schema.properties as object)));
    case "properties":
      return Object.entries(rule as Record<string, Schema>).flatMap(([key, child]) =>
        isObject(value) && key in value ? violations(child, value[key], root, `${path}.${key}`) : [],
      );
    case "items":
      return Array.isArray(value)
        ? value.flatMap((item, index) => violations(rule as Schema, item, root, `${path}[${index}]`))
        : [];
    default:
      throw new Error(`the keyword ${keyword} is not known to the test`);
  }
}
