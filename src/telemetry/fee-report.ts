// Fee estimates of a network, for the HTTP API of the exporter. Pure.
import type { FeeEstimate } from "../collectors/mempool-transactions/estimate.ts";
import type { StatusSources } from "./status.ts";

/** The fee estimates of a network, or why there are none. */
export type FeeReport = FeeAnswer | { readonly network: string /** Not masked. */; readonly reason: string };

/** The fee estimates of a network. */
export interface FeeAnswer {
  readonly network: string;
  /** Scheme, host and port of the API; not masked. */
  readonly origin: string;
  readonly estimate: FeeEstimate;
  /** Unix time, milliseconds. */
  readonly now: number;
}

/** The current fee estimates of a network. An estimate that has exceeded its maximum age is not reported. */
export function feeReport(
  network: string,
  { tasks, state, networks, now }: Pick<StatusSources, "tasks" | "state" | "networks" | "now">,
): FeeReport {
  const because = (reason: string) => ({ network, reason });
  const task = tasks.find((one) => one.network === network && one.collector.feeEstimate !== undefined);
  if (task === undefined) return because("no collector that estimates fees is enabled");
  const { name } = task.collector;
  const { lastSuccessAt, failure, unsupportedSince } = state.of(task);
  if (unsupportedSince !== undefined) return because(`the server lacks the operation of ${name}`);
  if (lastSuccessAt === undefined || now >= lastSuccessAt + task.maxAgeMs) {
    const cause = failure === undefined ? "no poll has ended in time" : `${failure.reason}: ${failure.message}`;
    return because(`${name} has no values: ${cause}`);
  }
  const estimate = task.collector.feeEstimate?.(state.observationOf(task));
  if (estimate === undefined) return because(`${name} needs the mined transactions of the last ten minutes`);
  if (estimate.types.all === undefined) return because("too few transactions were mined in the last ten minutes");
  const origin = networks.find((one) => one.network === network)?.origin ?? "";
  return { network, origin, estimate, now };
}
