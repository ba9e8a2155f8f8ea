// Reads the newest events of a contract, within the budget of the preferred upstream of its network.
import { MOVED_PRIORITY } from "../api/budget.ts";
import { ApiError } from "../api/errors.ts";
import type { App } from "../app.ts";
import { EVENTS_PER_REQUEST, type ListedEvent, newestEvents } from "../collectors/contracts/event-source.ts";
import type { NetworkConfig } from "../config/config.ts";
import { redactorOf } from "../config/secret.ts";
import { CommandError } from "./io.ts";

// The budget admits a request each minute, unless the month is used up.
const TIMEOUT_PER_REQUEST_MS = 60_000;
/** Ten requests. */
const MAX_EVENTS = 500;

/** The number of events in `--last`. @throws CommandError */
export function lastOf(text: string): number {
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
  { name, upstreams }: NetworkConfig,
  contract: string,
  last: number,
): Promise<readonly ListedEvent[]> {
  const timeoutMs = (1 + Math.ceil(last / EVENTS_PER_REQUEST)) * TIMEOUT_PER_REQUEST_MS;
  const poll = { priority: MOVED_PRIORITY, signal: AbortSignal.timeout(timeoutMs), deadline: Date.now() + timeoutMs };
  try {
    return await newestEvents(app.apiOf(name, poll), contract, last);
  } catch (error) {
    if (!(error instanceof ApiError || error instanceof DOMException)) throw error;
    const reason = error instanceof ApiError ? `${error.reason}: ` : "";
    const message = `the events of ${contract} cannot be read: ${reason}${error.message}`;
    throw new CommandError(redactorOf(upstreams).mask(message));
  }
}
