// Expressions that several dashboards use. Each is one value of the selected network, or one for each of its labels.
import { FEES } from "../alerts/thresholds.ts";
import { dedupe, metric, recording, stx } from "./select.ts";

const MINED = "stacks_chain_mined_fee_microstx";
const MINED_USUAL = "stacks_chain_mined_fee_baseline_microstx";
// A type with fewer transactions has the percentiles of a single sender.
const MIN_OF_TYPE = 5;

/** The percentile that is compared with its usual level: zero fees and a few low ones do not move it. */
export const PRICE = "p25";

type Matchers = Readonly<Record<string, string>>;
const ALL = { tx_type: "all" };

/** Fees of mined transactions, in STX, by type and percentile. */
export const minedFee = (matchers: Matchers = {}): string =>
  dedupe(stx(metric(MINED, { percentile: PRICE, ...matchers })));

/** Their usual level. */
export const usualMinedFee = (matchers: Matchers = {}): string =>
  dedupe(stx(metric(MINED_USUAL, { percentile: PRICE, ...matchers })));

const timesUsual = (matchers: Matchers = {}) =>
  `${metric(MINED, { percentile: PRICE, ...matchers })} / ${metric(MINED_USUAL, { percentile: PRICE, ...matchers })}`;

/** Current fee of mined transactions, in STX. */
export const price = `max(${minedFee(ALL)})`;

/** Usual fee of mined transactions, in STX. */
export const usualPrice = `max(${usualMinedFee(ALL)})`;

/** Fee of mined transactions, relative to the usual level. */
export const minedRatio = `max(${timesUsual(ALL)})`;

/** The same by type. */
export const minedRatioByType = `${dedupe(timesUsual())} and on (network, tx_type) ${metric("stacks_chain_mined_fee_sample_transactions")} >= ${MIN_OF_TYPE}`;

/** Fee estimates in STX, by type and target time. */
export const estimate = (matchers: Matchers = {}): string =>
  dedupe(stx(metric("stacks_fee_estimate_microstx", matchers)));

/** Note for the descriptions of its panels. */
export const FEW_LEFT_OUT = `Types with fewer than ${MIN_OF_TYPE} mined transactions are not shown.`;

/**
 * Use of blocks. Counters do not disappear when no block can be read, and their rate falls to 0. So the rate is used
 * only while the tip is present.
 */
export const usage = `(max(${recording("stacks:chain_block_usage:ratio")}) and max(${metric("stacks_chain_block_height")}))`;

/** Waiting transactions of all types. */
export const waiting = `sum(${dedupe(metric("stacks_mempool_transactions"))})`;

const calls = metric("stacks_chain_recent_contract_calls");
// Few enough for a legend. Those of the whole range, because a choice for each point would interrupt lines.
const MAX_CONTRACTS = 10;

/** Mined calls of the last ten minutes, of the contracts with the most in the time range. */
export const recentCalls = `${dedupe(calls)} and on (contract_id) topk(${MAX_CONTRACTS}, max by (contract_id) (max_over_time(${calls}[$__range] @ end())))`;

/** 0 while not everything that waits has room in the blocks; otherwise no value. */
export const competing = `max(${metric("stacks_fee_estimate_blocks_have_room")}) == 0`;

/** 1 while the server does not list mined transactions; otherwise no value. */
export const unlisted = `max(${metric("stacks_exporter_collector_state", { collector: "transactions", state: "unsupported" })}) == 1`;

/** A fee is raised above this ratio, and far above usual from the limit of StacksFeeSpike. */
export const RAISED = FEES.spike.feeRatio / 2;

/** Text for missing values of mined transactions. */
export const NO_MINED = "The API does not list mined transactions, or was not read";
/** Text for missing values of waiting transactions. */
export const NO_MEMPOOL = "No data: the mempool is empty, or was not read";
