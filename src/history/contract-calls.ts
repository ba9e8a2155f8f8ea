// The past of the collector `contract_calls`.
import { addressTransactions, principalTransactions } from "../collectors/addresses/source.ts";
import { withCallers } from "../collectors/contract-calls/callers.ts";
import { contractCalls } from "../collectors/contract-calls/contract-calls.ts";
import { callFamilies, callSamples } from "../collectors/contract-calls/families.ts";
import type { Options } from "../collectors/contract-calls/options.ts";
import {
  type Call,
  type ContractTransaction,
  originalList,
  replacementList,
} from "../collectors/contract-calls/source.ts";
import { type CallTarget, NOTHING, type Observation } from "../collectors/contract-calls/state.ts";
import { addCalls } from "../collectors/contract-calls/totals.ts";
import { withActivity } from "../collectors/rhythm.ts";
import { familiesNamed, type Past, type Replay, type Source, sourcesOf } from "./past.ts";
import type { ReplayedRow } from "./spool.ts";
import { timedRows } from "./timed-rows.ts";

/** The past of the calls of a contract. */
export function pastOfCalls(network: string, { watched }: CallTarget, settings: Options): Past {
  const { principal, name } = watched;
  const sourceOf = (isNew: boolean): Source<ContractTransaction> => {
    const operation = isNew ? principalTransactions : addressTransactions;
    return {
      name: `${isNew ? "v3 " : ""}calls ${principal}`,
      operation,
      list: (api) => (isNew ? replacementList : originalList)(api, principal),
      place(items) {
        const { rows, oldest } = timedRows(
          operation,
          items,
          ({ time }) => time,
          ({ id, call }) => ({ id, body: call }),
        );
        // Events can belong to a transaction that calls the contract, and to any other one.
        return { rows: rows.filter(({ body }) => body !== undefined), oldest };
      },
    };
  };
  const limits = {
    functions: settings.max_functions,
    errors: settings.max_errors,
    spareSeries: Number.POSITIVE_INFINITY,
  };
  return {
    collector: contractCalls.name,
    name: `calls of ${name}`,
    sources: sourcesOf(settings.api, sourceOf),
    // The callers of the last hour.
    lead: 3600,
    unknown: familiesNamed(callFamilies, [
      "stacks_contract_pending_depth_calls",
      "stacks_contract_calls_gap_total",
      "stacks_contract_reverted_calls_total",
      "stacks_contract_restored_calls_total",
    ]),
    replay: ({ name: list }): Replay<Observation> => ({
      list,
      begin: (rows, at) => withTimes(NOTHING, rows, at),
      advance(state, rows, at) {
        if (rows.length === 0 && Object.keys(state.callers).length === 0) return state;
        const calls = rows.map(({ body }) => body as Call);
        return {
          ...withTimes(state, rows, at),
          totals: { ...state.totals, ...(calls.length === 0 ? {} : addCalls(state.totals, calls, limits)) },
        };
      },
      samples: (state) => callSamples(state, network, watched),
    }),
  };
}

function withTimes(state: Observation, rows: readonly ReplayedRow[], at: number): Observation {
  const last = rows.at(-1);
  return {
    ...state,
    callers: withCallers(
      state.callers,
      rows.map(({ time, body }) => ({ caller: (body as Call).caller, time })),
      at,
    ),
    rhythm: withActivity(
      state.rhythm,
      rows.map(({ time }) => time),
    ),
    last: last === undefined ? state.last : { height: last.height, hash: "", time: last.time },
  };
}
