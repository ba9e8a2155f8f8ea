// The limits of a watched address in the configuration, and the outflow that they limit. Pure.
import type { Family, Sample } from "../../exposition/family.ts";
import { STX, type Watched } from "../collector.ts";
import type { Labels } from "../counted.ts";
import { ofAddress } from "../subjects.ts";
import { TRANSFERS } from "./families.ts";
import { largestOutflow, NO_OUTFLOW, type Outflow, type Spent, withOutflow } from "./outflow.ts";
import type { Transfer, WholeTransaction } from "./transfers.ts";

const asset = "identifier of the asset";
const WITHIN =
  "within an hour of block time: the largest amount of the hours with a transaction counted in the last hour";

const families = {
  outflow: ofAddress.gauge({
    name: "stacks_address_outflow_microstx",
    help: `STX sent ${WITHIN}. Including fees. In microSTX. Absent without max_outflow.`,
    source: "stx_sent, tx.block_time of GET /extended/v2/addresses/{address}/transactions, or its replacement, polled",
  }),
  maxOutflow: ofAddress.gauge({
    name: "stacks_address_max_outflow_microstx",
    help: "Limit of the STX sent within an hour in the configuration (max_outflow). In microSTX. Absent if not set.",
    source: "the configuration",
    isLasting: true,
  }),
  tokenOutflow: ofAddress.gauge({
    name: "stacks_address_ft_outflow_units",
    help: `Fungible tokens sent or burnt ${WITHIN}. In base units. Absent without max_outflow of the token.`,
    source: `ft_transfers.amount of ${TRANSFERS}`,
    labels: { asset },
  }),
  maxTokenOutflow: ofAddress.gauge({
    name: "stacks_address_ft_max_outflow_units",
    help: "Limit of a token sent within an hour in the configuration (max_outflow), in base units. Absent if not set.",
    source: "the configuration",
    isLasting: true,
    labels: { asset },
  }),
  silentAfter: ofAddress.gauge({
    name: "stacks_address_silent_after_seconds",
    help: "Time without a sent transaction after which the address counts as silent (silent_after). Absent if not set.",
    source: "the configuration",
    isLasting: true,
  }),
};

/** Every family of the limits, in the order of the metrics page. */
export const limitFamilies: readonly Family[] = Object.values(families);

/** Outflow by asset: of those with a limit, and of no others. @param now Unix time in milliseconds */
export function limitedOutflow(
  before: Readonly<Record<string, Outflow>> = {},
  { maxOutflow = {} }: Pick<Watched, "maxOutflow">,
  counted: readonly Pick<WholeTransaction, "time" | "sent" | "transfers">[],
  now: number,
): Readonly<Record<string, Outflow>> {
  return Object.fromEntries(
    Object.keys(maxOutflow).map((asset) => {
      const spent = counted.flatMap(({ time = Math.floor(now / 1000), sent = 0n, transfers = [] }): Spent[] => {
        const amount = asset === STX ? sent : tokensSent(asset, transfers);
        return amount === 0n ? [] : [{ time, amount }];
      });
      return [asset, withOutflow(before[asset] ?? NO_OUTFLOW, spent, now)];
    }),
  );
}

const tokensSent = (asset: string, transfers: readonly Transfer[]): bigint =>
  transfers
    .filter((transfer) => transfer.kind === "ft" && transfer.asset === asset)
    .filter(({ direction }) => direction === "out" || direction === "burn")
    .reduce((sum, { amount }) => sum + (amount ?? 0n), 0n);

/** The outflow of one address. @param hasTransfers whether the outflow of tokens is known */
export function* outflowSamples(
  outflow: Readonly<Record<string, Outflow>>,
  hasTransfers: boolean,
  labels: Labels,
  { maxOutflow = {} }: Pick<Watched, "maxOutflow">,
): Iterable<Sample> {
  for (const asset of Object.keys(maxOutflow)) {
    const sent = outflow[asset];
    const ofAsset: Labels = { ...labels, asset };
    if (sent === undefined) continue;
    if (asset === STX) yield families.outflow.at(labels, largestOutflow(sent));
    else if (hasTransfers) yield families.tokenOutflow.at(ofAsset, largestOutflow(sent));
  }
}

/** The limits of one address. */
export function* limitSamples(
  network: string,
  { name, principal, maxOutflow = {}, silentAfterMs }: Watched,
): Iterable<Sample> {
  const labels = { network, name, address: principal };
  for (const [asset, limit] of Object.entries(maxOutflow)) {
    if (asset === STX) yield families.maxOutflow.at(labels, limit);
    else yield families.maxTokenOutflow.at({ ...labels, asset }, limit);
  }
  if (silentAfterMs !== undefined) yield families.silentAfter.at(labels, silentAfterMs / 1000);
}
