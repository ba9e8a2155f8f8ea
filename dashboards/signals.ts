// Expressions that several dashboards use. Each is one value of the selected network, or one for each of its labels.
import { spikeOf } from "../alerts/fees.ts";
import { PRICE } from "../alerts/thresholds.ts";
import { limitsOf } from "../alerts/values.ts";
import { level } from "./panel.ts";
import { freshest, metric, recording, stx } from "./select.ts";

const MINED = "stacks_chain_mined_fee_microstx";
const LOWEST = "stacks_chain_mined_fee_lowest_microstx";
const MINED_USUAL = "stacks_chain_mined_fee_baseline_microstx";

type Matchers = Readonly<Record<string, string>>;

/** Fees of mined transactions, in STX, by type and percentile. */
export const minedFee = (matchers: Matchers): string => freshest(stx(metric(MINED, matchers)));

/** The lowest fee with which transactions of a type are mined, in STX. */
export const lowestFee = (matchers: Matchers = {}): string => freshest(stx(metric(LOWEST, matchers)));

/** The usual fee. */
export const usualFee = (matchers: Matchers = {}): string =>
  freshest(stx(metric(MINED_USUAL, { percentile: PRICE.usual, ...matchers })));

const RATIO = "stacks:chain_mined_fee_microstx:ratio";

const ofCalls = recording(RATIO, { tx_type: PRICE.type });
/** The price of contract calls relative to the usual fee. */
export const ratio = `max(${freshest(ofCalls)})`;

/** The same in a spike, with the condition of StacksFeeSpike; otherwise no value. */
export const spikeRatio = `max(${freshest(`(${spikeOf(ofCalls)})`)})`;

/** The same by type. */
export const ratioByType = freshest(recording(RATIO, { tx_type: "~contract_call|token_transfer" }));

/** Fee estimates in STX, by type and target time. */
export const estimate = (matchers: Matchers = {}): string =>
  freshest(stx(metric("stacks_fee_estimate_microstx", matchers)));

/** Waiting transactions of all types. */
export const waiting = `sum(${freshest(metric("stacks_mempool_transactions"))})`;

const calls = metric("stacks_chain_recent_contract_calls");
// Few enough for a legend. Those of the whole range, because a choice for each point would interrupt lines.
const MAX_CONTRACTS = 10;

/** Mined calls of the last ten minutes, of the contracts with the most in the range. Legends are cut: names first. */
export const recentCalls = `label_replace(${freshest(calls)} and on (contract_id) topk(${MAX_CONTRACTS}, max by (contract_id) (max_over_time(${calls}[$__range] @ end()))), "contract", "$2 ($1…)", "contract_id", "(.{6}).*[.](.*)")`;

/** 1 while the server does not list mined transactions; otherwise no value. */
export const unlisted = `max(${freshest(metric("stacks_exporter_collector_state", { collector: "transactions", state: "unsupported" }))}) == 1`;

/** A fee is raised above this ratio, and far above usual from the limit of StacksFeeSpike. */
export const RAISED = level(limitsOf("StacksFeeSpike").feeRatio, 0.5);

/** Text for missing values of mined transactions. */
export const NO_MINED = "The API does not list mined transactions, or was not read";
/** Text for missing values of waiting transactions. */
export const NO_MEMPOOL = "No data: the mempool is empty, or was not read";
