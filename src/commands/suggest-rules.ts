// Event rules to start from: for each shape of a contract's events, one that counts them.
import type { Shape } from "../collectors/event-rules/shapes.ts";

const LONGEST_NAME = 120;

/** The settings of a rule for each shape. A value and labels are paths of the shape. */
export function suggestRules(contract: string, shapes: readonly Shape[]): readonly object[] {
  const taken = new Set<string>();
  return shapes.map((shape) => ({
    metric: metricName([contract.split(".")[1] ?? "", shape.discriminator?.text ?? "events"], taken),
    type: "counter",
    help: "Events of the contract.",
    match: [{ path: "topic", equals: shape.topic }, ...conditionsOf(shape)],
  }));
}

function conditionsOf({ discriminator, fields }: Shape): readonly object[] {
  if (discriminator !== undefined) return [{ path: discriminator.path, equals: discriminator.text }];
  const always = fields.find(({ kinds }) => !kinds.has("none"));
  return always === undefined ? [] : [{ path: always.path, exists: true }];
}

/** A name of these parts that a rule can have, and that no other rule has. */
function metricName(parts: readonly string[], taken: Set<string>): string {
  const words = parts
    .flatMap((part) => part.toLowerCase().split(/[^a-z0-9]+/))
    .filter((word) => word !== "" && word !== "total");
  const first = words[0] ?? "";
  const prefix = first === "" || /^\d|^(?:stacks|process|nodejs|scrape)$/.test(first) ? ["contract"] : [];
  const name = [...prefix, ...words].join("_").slice(0, LONGEST_NAME);
  let unique = `${name}_total`;
  for (let number = 2; taken.has(unique); number += 1) unique = `${name}_${number}_total`;
  taken.add(unique);
  return unique;
}
