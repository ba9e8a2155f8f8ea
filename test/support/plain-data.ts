// Serialises and parses an observation, like the state file.

/** The observation after a restart. Throws if it is not plain data. */
export function restarted<Observation>(observation: Observation): Observation {
  const text = JSON.stringify(observation, (_, value: unknown) => {
    if (typeof value === "bigint") return { $bigint: String(value) };
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      // By name, because tests run in a separate realm.
      if (value.constructor.name !== "Object") throw new TypeError(`an observation holds a ${value.constructor.name}`);
    }
    return value;
  });
  return JSON.parse(text, (_, value: unknown) =>
    typeof value === "object" && value !== null && "$bigint" in value ? BigInt(String(value.$bigint)) : value,
  ) as Observation;
}
