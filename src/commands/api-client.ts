// Creates the API client of a command: that of the preferred upstream of a network, within the budget of the command.
import { type Client, createClient } from "../api/client.ts";
import { systemClock } from "../api/clock.ts";
import type { Redactor } from "../api/redact.ts";
import type { NetworkConfig } from "../config/config.ts";
import { redactorOf } from "../config/secret.ts";
import { budgetKeyOf } from "../store/budget-key.ts";
import type { CommandBudgets } from "./command-budgets.ts";
import type { Io } from "./io.ts";

/** A client for one command, which closes it. */
export interface CommandClient {
  readonly client: Client;
  /** Masks the secrets of the network. */
  readonly redactor: Redactor;
  /** Aborted when the command is stopped, or cannot save what it uses of the budget. */
  readonly stop: AbortSignal;
}

/** Creates the client of a network. It sends nothing by itself. */
export function createCommandClient(
  network: NetworkConfig,
  { store, partOf }: CommandBudgets,
  io: Pick<Io, "version" | "stopped">,
): CommandClient {
  const [upstream] = network.upstreams;
  const redactor = redactorOf(network.upstreams);
  const stop = new AbortController();
  const key = budgetKeyOf(network.name, upstream);
  const client = createClient({
    baseUrl: upstream.url,
    key: upstream.apiKey,
    redactor,
    userAgent: `stacks-exporter/${io.version}`,
    budget: partOf(upstream.budget),
    used: store.loadBudget(key),
    save: (record) => {
      try {
        store.saveBudget(key, record, systemClock.now());
      } catch (error) {
        stop.abort(new DOMException(error instanceof Error ? error.message : String(error), "AbortError"));
      }
    },
    longestPauseMs: network.longestPauseMs,
  });
  void io.stopped.then(() => stop.abort(new DOMException("the command was stopped", "AbortError")));
  return { client, redactor, stop: stop.signal };
}
