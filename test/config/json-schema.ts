// The JSON Schema of the configuration, as editors read it.
import { Ajv2020 } from "ajv/dist/2020.js";

/** What of a value the schema refuses; empty if it conforms. Throws if the schema is not valid. */
export function violations(schema: object, value: unknown): readonly string[] {
  const ajv = new Ajv2020({ allErrors: true, strictTypes: false });
  ajv.validate(schema, value);
  return (ajv.errors ?? []).map(({ instancePath, message }) => `${instancePath}: ${message}`);
}
