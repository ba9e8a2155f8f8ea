// Prints the shapes of the newest events of a contract, from which event rules are written.
import { type Field, type Shape, type Shapes, shapesOf } from "../collectors/event-rules/shapes.ts";
import { shorten } from "../config/errors.ts";
import { CHAINS, readContract } from "../config/principal.ts";
import { CommandError, type Io } from "./io.ts";
import { type ConfigFlags, loadConfig } from "./load-config.ts";
import { lastOf, networkOf, readEvents } from "./read-events.ts";
import { withApp } from "./with-app.ts";

/** The options of commands that read events. */
export interface EventFlags extends ConfigFlags {
  readonly last: string;
  readonly network?: string;
}

/** Prints the shapes. The contract does not have to be in the configuration. */
export async function events(contract: string, flags: EventFlags, io: Io): Promise<number> {
  const last = lastOf(flags.last);
  const loaded = await loadConfig(flags, io, { part: "whole" });
  const network = networkOf(loaded.config.networks, flags.network);
  const id = contractOf(contract);
  const listed = await withApp(loaded, io, (app) => readEvents(app, network, id, last));
  if (listed.length === 0) throw new CommandError(`${id} has no events on ${network.name}`);
  io.out(`${formatShapes(id, listed.length, shapesOf(listed))}\n`);
  return 0;
}

function contractOf(text: string): string {
  const read = CHAINS.map((chain) => readContract(text, chain));
  for (const found of read) if ("id" in found) return found.id;
  const wrong = read.map((found) => "wrong" in found && found.wrong)[0];
  throw new CommandError(`expected a contract as address.name, found ${wrong}`);
}

/** The shapes as text. */
export function formatShapes(contract: string, count: number, { shapes, unreadable }: Shapes): string {
  return [
    `the newest ${count} events of ${contract}`,
    ...(unreadable === 0 ? [] : [`${unreadable} of them have no value that can be decoded`]),
    ...shapes.flatMap((shape, index) => ["", ...formatShape(shape, index + 1)]),
  ].join("\n");
}

function formatShape(shape: Shape, number: number): string[] {
  const { topic, discriminator, events, newest, fields } = shape;
  const what =
    discriminator === undefined ? "without a name" : `${discriminator.path} is ${quoted(discriminator.text)}`;
  const rows = [
    ["path", "type", "events", "examples"],
    ["topic", "string-ascii", `${events}`, quoted(topic)],
    ...fields.map(rowOf),
  ];
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const table = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "));
  return [
    `shape ${number}, ${what}: ${events} events, the newest ${newest}`,
    ...table.map((line) => `  ${line}`.trimEnd()),
    `  match: ${JSON.stringify(matchOf(shape))}`,
  ];
}

/** The conditions of a rule for a shape. As JSON they are YAML, too. */
export function matchOf({ topic, discriminator, fields }: Shape): readonly object[] {
  const ofTopic = { path: "topic", equals: topic };
  if (discriminator !== undefined) return [ofTopic, { path: discriminator.path, equals: discriminator.text }];
  const always = fields.find(({ kinds }) => !kinds.has("none"));
  return always === undefined ? [ofTopic] : [ofTopic, { path: always.path, exists: true }];
}

const rowOf = ({ path, kinds, count, examples }: Field): string[] => {
  const others = [...kinds].filter((kind) => kind !== "none");
  const type = others.join(" or ") || "none";
  return [
    path,
    kinds.has("none") && others.length > 0 ? `${type}, or none` : type,
    `${count}`,
    examples.slice(0, 3).map(quoted).join(", "),
  ];
};

// The text is from the chain, so it is quoted and shortened.
const quoted = (text: string): string => JSON.stringify(shorten(text));
