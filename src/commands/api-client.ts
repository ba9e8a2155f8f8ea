// Creates the API client of a command: that of the preferred upstream of a network, within its budget, which it shares
// with a running exporter.
import { type Client, createClient } from "../api/client.ts";
import type { Redactor } from "../api/redact.ts";
import type { NetworkConfig } from "../config/config.ts";
import { redactorOf } from "../config/secret.ts";
import { peakByPriority, planPolls } from "../scheduler/pacing.ts";
import { budgetKeyOf } from "../storage/budget-key.ts";
import type { Io } from "./io.ts";
import type { SharedBudgets } from "./shared-budgets.ts";

/** A client for one command, which closes it. */
export interface CommandClient {
  readonly client: Client;
  /** Masks the secrets of the network. */
  readonly redactor: Redactor;
  /** Aborted when the command is stopped, or can no longer share the budget. */
  readonly stop: AbortSignal;
}

/** Creates the client of a network. It sends nothing by itself. */
export function createCommandClient(
  network: NetworkConfig,
  budgets: SharedBudgets,
  io: Pick<Io, "version" | "stopped">,
): CommandClient {
  const [upstream] = network.upstreams;
  const redactor = redactorOf(network.upstreams);
  const client = createClient({
    baseUrl: upstream.url,
    route: upstream.outbound,
    key: upstream.apiKey,
    keyHeader: upstream.apiKeyHeader,
    redactor,
    userAgent: `stacks-exporter/${io.version}`,
    budget: {
      ...upstream.budget,
      plannedPerMinute: peakByPriority(planPolls(network, upstream.budget)),
      isPlanOfOthers: true,
    },
    shared: budgets.file?.of(budgetKeyOf(network.name, upstream)),
    maxBodyBytes: network.maxBodyBytes,
    longestPauseMs: network.longestPauseMs,
  });
  const stop = new AbortController();
  void io.stopped.then(() => stop.abort(new DOMException("the command was stopped", "AbortError")));
  return { client, redactor, stop: AbortSignal.any([stop.signal, budgets.failed]) };
}
