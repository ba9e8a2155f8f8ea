// The document at /api/v1/fees/recommended. Its fees have the names that users of mempool.space know. Pure.
import { isExpired } from "../store/state.ts";
import type { StatusSources } from "./status.ts";

/** The document, or the reason why there is none; not masked. docs/fee-estimate.md describes it. */
export type FeeReport = ReturnType<typeof feeReport>;

/**
 * The current fee estimates of a network, by default the first one. Estimates that have exceeded their maximum age are
 * not reported.
 */
export function feeReport(of: string | undefined, { tasks, state, networks, now }: StatusSources) {
  const because = (error: string, status = 503) => ({ error, status });
  const network = of ?? networks[0]?.name ?? "";
  if (!networks.some(({ name }) => name === network)) return because(`network: there is no ${network}`, 400);
  const task = tasks.find((one) => one.network === network && one.collector.feeEstimate !== undefined);
  if (task === undefined) return because("no collector that estimates fees is enabled");
  const { name } = task.collector;
  const status = state.of(task);
  if (status.lastSuccessAt === undefined || isExpired(task, status, now)) {
    const { failure } = status;
    const cause = failure === undefined ? "no poll has ended in time" : `${failure.reason}: ${failure.message}`;
    return because(`${name} has no values: ${cause}`);
  }
  const estimate = task.collector.feeEstimate?.(state.observationOf(task));
  if (estimate === undefined) return because(`${name} needs the mined transactions of the last ten minutes`);
  const { all, token_transfer, contract_call } = estimate.types;
  if (all === undefined) return because("too few transactions were mined in the last ten minutes");
  const feesOf = ({ fees: { "10m": fastestFee, "1h": hourFee }, observations }: typeof all) => {
    return { fastestFee, hourFee, observations };
  };
  return {
    ...feesOf(all),
    unit: "microSTX",
    network,
    source: networks.find(({ name }) => name === network)?.url,
    time: new Date(estimate.at).toISOString(),
    types: {
      token_transfer: token_transfer && feesOf(token_transfer),
      contract_call: contract_call && feesOf(contract_call),
    },
  };
}
