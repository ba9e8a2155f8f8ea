// Prints the shapes of the newest events of a contract, from which event rules are written.
import { MOVED_PRIORITY } from "../api/budget.ts";
import { systemClock } from "../api/clock.ts";
import { ApiError } from "../api/errors.ts";
import type { App } from "../app.ts";
import { EVENTS_PER_REQUEST, type ListedEvent, newestEvents } from "../collectors/contracts/event-source.ts";
import { type Field, type Shape, shapesOf } from "../collectors/event-rules/shapes.ts";
import { shorten } from "../config/errors.ts";
import { CHAINS, readContract } from "../config/principal.ts";
import { redactorOf } from "../config/secret.ts";
import type { NetworkConfig } from "../config/settings.ts";
import { CommandError, type Io, tableOf } from "./io.ts";
import { type Flags, loadConfig } from "./load-config.ts";
import { withApp } from "./with-app.ts";

/** Prints the shapes. The contract does not have to be in the configuration. */
export async function events(contract: string, flags: Flags, io: Io): Promise<number> {
  const last = lastOf(flags.last);
  const loaded = await loadConfig(flags, io, { part: "whole" });
  const network = networkOf(loaded.config.networks, flags.network);
  const id = contractOf(contract);
  const listed = await withApp(loaded, io, (app) => readEvents(app, network, id, last));
  if (listed.length === 0) throw new CommandError(`${id} has no events on ${network.name}`);
  io.out(`${formatShapes(id, listed.length, shapesOf(listed))}\n`);
  return 0;
}

// The budget admits a request each minute, unless the month is used up.
const TIMEOUT_PER_REQUEST_MS = 60_000;
/** Ten requests. */
const MAX_EVENTS = 500;

/** The number of events in `--last`. @throws CommandError */
export function lastOf(text = ""): number {
  const last = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (last >= 1 && last <= MAX_EVENTS) return last;
  throw new CommandError(`--last: expected a whole number from 1 to ${MAX_EVENTS}, found ${JSON.stringify(text)}`);
}

/** The network of `--network`, or else the first one. @throws CommandError */
export function networkOf(networks: readonly NetworkConfig[], name: string | undefined): NetworkConfig {
  const found = name === undefined ? networks[0] : networks.find((network) => network.name === name);
  if (found !== undefined) return found;
  const names = networks.map((network) => network.name).join(", ");
  throw new CommandError(`--network: expected one of ${names}, found ${JSON.stringify(name)}`);
}

/** The newest events of a contract, newest first. @throws CommandError when they cannot be read */
export async function readEvents(
  app: App,
  network: NetworkConfig,
  contract: string,
  last: number,
): Promise<readonly ListedEvent[]> {
  const timeoutMs = (1 + Math.ceil(last / EVENTS_PER_REQUEST)) * TIMEOUT_PER_REQUEST_MS;
  const signal = AbortSignal.timeout(timeoutMs);
  const poll = { priority: MOVED_PRIORITY, signal, deadline: systemClock.elapsed() + timeoutMs };
  try {
    return await newestEvents(app.apiOf(network.name, poll), contract, last);
  } catch (error) {
    if (!(error instanceof ApiError || error instanceof DOMException)) throw error;
    const reason = error instanceof ApiError ? `${error.reason}: ` : "";
    const message = `the events of ${contract} cannot be read: ${reason}${error.message}`;
    throw new CommandError(redactorOf([network]).mask(message));
  }
}

function contractOf(text: string): string {
  const read = CHAINS.map((chain) => readContract(text, chain));
  for (const found of read) if ("id" in found) return found.id;
  const wrong = read.map((found) => "wrong" in found && found.wrong)[0];
  throw new CommandError(`expected a contract as address.name, found ${wrong}`);
}

/** The shapes as text. */
export function formatShapes(
  contract: string,
  count: number,
  { shapes, unreadable }: ReturnType<typeof shapesOf>,
): string {
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
  const rows = [["topic", "string-ascii", `${events}`, quoted(topic)], ...[...fields].map(rowOf)];
  return [
    `shape ${number}, ${what}: ${events} events, the newest ${newest}`,
    ...tableOf([["path", "type", "events", "examples"], ...rows]),
    `  match: ${JSON.stringify(matchOf(shape))}`,
  ];
}

/** The conditions of a rule for a shape. As JSON they are YAML, too. */
export function matchOf({ topic, discriminator, fields }: Shape): readonly object[] {
  const ofTopic = { path: "topic", equals: topic };
  if (discriminator !== undefined) return [ofTopic, { path: discriminator.path, equals: discriminator.text }];
  const [always] = [...fields].find(([, { kinds }]) => !kinds.has("none")) ?? [];
  return always === undefined ? [ofTopic] : [ofTopic, { path: always, exists: true }];
}

const rowOf = ([path, { kinds, count, examples }]: readonly [string, Field]): string[] => {
  const others = [...kinds].filter((kind) => kind !== "none");
  const type = others.join(" or ") || "none";
  return [
    path,
    kinds.has("none") && others.length > 0 ? `${type}, or none` : type,
    `${count}`,
    [...examples].slice(0, 3).map(quoted).join(", "),
  ];
};

/** A text of the chain, as a command prints it. */
export const quoted = (text: string): string => JSON.stringify(shorten(text));
