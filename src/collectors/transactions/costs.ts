// What calls of a function cost. Miners compare fees divided by the cost that earlier calls of the function had
// (`PessimisticEstimator` and `ProportionalDotProduct` of stacks-core). No list has it, but transactions have it when
// they are requested by their ids.
import { z } from "zod";
import { ApiError } from "../../api/errors.ts";
import { operation, type StacksApi } from "../../api/operation.ts";
import { DIMENSIONS, type Dimension, EPOCH_4_LIMITS, executionCost } from "../../chain/block-source.ts";
import { type MinedRow, percentileOf, votesOf } from "./window.ts";

/** The sum of the shares of a budget, in ten-thousandths; undefined if it costs nothing, which no call does. */
const sharesOf = (cost: Readonly<Record<`execution_cost_${Dimension}`, number>>): number | undefined =>
  DIMENSIONS.reduce((sum, one) => sum + (cost[`execution_cost_${one}`] * 1e4) / EPOCH_4_LIMITS[one], 0) || undefined;

/** Several transactions by their ids. Only mined ones have a cost. */
export const transactionDetails = operation({
  name: "transaction_details",
  path: "/extended/v1/tx/multiple",
  isOptional: true,
  body: z.record(
    z.string(),
    z.object({ result: z.object(executionCost).transform(sharesOf).optional().catch(undefined) }),
  ),
});

/** A mined transaction. */
interface Call extends MinedRow {
  readonly id: string;
  /** `contract::function`; undefined if it is no call. */
  readonly calledFunction?: string | undefined;
}

/** What is known of the costs. Plain data. */
export interface CallCosts {
  /** Time of the last request. Unix time, seconds. */
  readonly readAt: number;
  /**
   * Of the last calls of each function that were read, by id, in ten-thousandths of a budget. Empty if none was found.
   */
  readonly byFunction: readonly (readonly [name: string, calls: readonly (readonly [id: string, cost: number])[]])[];
}

/** Before the first request. */
export const NO_COSTS: CallCosts = { readAt: 0, byFunction: [] };

// Pause between two requests, seconds.
const REREAD_SECONDS = 3600;
// With so many calls of an unknown function, as in a mint, the pause is short.
const NEW_CALLS = 3;
const SHORT_PAUSE_SECONDS = 300;
// Ids in one request: their URL has 3.5 kB.
const MOST = 50;
const CALLS_OF_FUNCTION = 10;
const MAX_FUNCTIONS = 500;

/**
 * The mined calls whose costs to read now, first those of unknown functions, at most two of each sender, so that one
 * sender cannot decide what is typical. None if it is too early.
 */
export function callsToRead<Of extends Call>(known: CallCosts, mined: readonly Of[], now: number): readonly Of[] {
  const byFunction = Map.groupBy(votesOf(mined, "contract_call"), ({ calledFunction }) => calledFunction ?? "");
  byFunction.delete("");
  const counts = new Map(known.byFunction.map(([name, calls]) => [name, calls.length]));
  const countOf = (name: string) => counts.get(name) ?? -1;
  const isNew = [...byFunction].some(([name, calls]) => calls.length >= NEW_CALLS && countOf(name) < 0);
  if (Math.abs(now - known.readAt) < (isNew ? SHORT_PAUSE_SECONDS : REREAD_SECONDS)) return [];
  return [...byFunction]
    .sort(([one], [other]) => countOf(one) - countOf(other))
    .flatMap(([, calls]) => calls.slice(0, CALLS_OF_FUNCTION))
    .slice(0, MOST);
}

/** The costs with those of some calls. Of the functions, those that were read last are kept. */
export function withCosts(
  known: CallCosts,
  calls: readonly Call[],
  costOf: (id: string) => number | undefined,
  now: number,
): CallCosts {
  const byFunction = new Map(known.byFunction);
  for (const { id, calledFunction: name = "" } of calls) {
    const [before, cost] = [byFunction.get(name) ?? [], costOf(id)];
    const costs = new Map([...before, ...(cost === undefined ? [] : [[id, cost] as const])]);
    byFunction.delete(name);
    byFunction.set(name, [...costs].slice(-CALLS_OF_FUNCTION));
  }
  return { readAt: now, byFunction: [...byFunction].slice(-MAX_FUNCTIONS) };
}

/** Reads the costs of mined calls, if it is time. @param now Unix time, seconds */
export async function readCosts(
  api: StacksApi,
  known: CallCosts,
  mined: readonly Call[],
  now: number,
): Promise<CallCosts> {
  const calls = callsToRead(known, mined, now);
  if (calls.length === 0 || api.room() < 1 || api.isRetired(transactionDetails)) return known;
  // The server reads a limit of 0 as its default of 20.
  const query = { tx_id: calls.map(({ id }) => id).join(","), event_limit: 1, exclude_function_args: true };
  try {
    const { body } = await api.get(transactionDetails, { path: {}, query });
    return withCosts(known, calls, (id) => body[id]?.result, now);
  } catch (error) {
    // The lists have been read: an estimate with the known costs is valid. The failed request is counted.
    if (!(error instanceof ApiError)) throw error;
    return { ...known, readAt: now };
  }
}

// At least the unit of its rounding: fees are divided by it.
const median = (values: readonly number[]) => Math.max(0.01, percentileOf(Float64Array.from(values).sort(), 0.5));

/** The cost of a typical call; NaN while no cost is known. */
export const typicalCost = ({ byFunction }: CallCosts): number =>
  median(byFunction.flatMap(([, calls]) => calls.map(([, cost]) => cost)));

/**
 * Converts the fee of a call to what a typical call has to pay to be as attractive, or one that costs `times` as much.
 * That of a call of unknown cost stays.
 */
export function comparable(costs = NO_COSTS, times = 1) {
  const typical = times * typicalCost(costs);
  const known = costs.byFunction.filter(([, calls]) => calls.length > 0);
  const factors = new Map(known.map(([name, calls]) => [name, typical / median(calls.map(([, cost]) => cost))]));
  return <Row extends Pick<Call, "calledFunction"> & { readonly fee: number | undefined }>(row: Row): Row => {
    const factor = factors.get(row.calledFunction ?? "");
    // A fee of 0 says nothing of the price; a fee above 0 does.
    return factor === undefined || !row.fee ? row : { ...row, fee: Math.max(1, Math.round(row.fee * factor)) };
  };
}
