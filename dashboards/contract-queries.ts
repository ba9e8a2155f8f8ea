// Queries of several rows of the dashboard Contracts.
import { onContract } from "../alerts/contracts.ts";
import { dedupe, grownIn, metric, perMinute, recording, total } from "./select.ts";

/** Matches the selected contracts. */
export const NAMED = { name: "~$name" };

/** `noValue` of panels without a contract. */
export const NO_CONTRACT = "No watched contract: set contracts in the configuration";
/** `noValue` of panels without an event or a call. */
export const NO_EVENT = "No event was counted in this range";
export const NO_CALL = "No call was counted in this range";

/** A family of the selected contracts. */
export const watched = (family: string, matchers: Readonly<Record<string, string>> = {}): string =>
  metric(family, { ...NAMED, ...matchers });

/** The info of the selected contracts. */
export const info = watched("stacks_contract_info", { group: "~$group" });

/** Restricts an expression to the selected groups. */
export const grouped = (expr: string): string => `(${expr} and on (network, name) ${info})`;

/** The increase of a counter within a window, with the values with which its series appear. */
export function grownWithin(window: string, selectorOf: typeof watched, family: string, matchers = {}): string {
  const known = `stacks_contract_reverted_${family.includes("_events_") ? "events" : "calls"}_total`;
  return grownIn(window, selectorOf(family, matchers), `${onContract} group_left ()`, selectorOf(known));
}

/** The increase of a counter in the time range, by contract. */
export const inRange = (family: string, matchers: Readonly<Record<string, string>> = {}): string =>
  grouped(total("network, name", grownWithin("$__range", watched, family, matchers)));

/** Maximum number of contracts in a panel. */
export const MAX_CONTRACTS = 10;

/** Restricts an expression to the contracts with the greatest increase of a counter in the time range. */
export function ofBusiest(expr: string, family: string, matchers: Readonly<Record<string, string>> = {}): string {
  const increase = `increase(${watched(family, matchers)}[$__range] @ end())`;
  return `${expr} and on (network, name) topk(${MAX_CONTRACTS}, ${grouped(total("network, name", increase))})`;
}

/** The rate per minute of a counter, of the contracts with the greatest increase in the time range. */
export const busiestPerMinute = (family: string, matchers: Readonly<Record<string, string>> = {}): string =>
  ofBusiest(perMinute("network, name", watched(family, matchers)), family, matchers);

/** Failed calls. */
export const FAILED = { tx_status: "!success" };

/** Time since the newest call or event, in seconds. */
export const silence = dedupe(recording("stacks:contract_silence:seconds", NAMED));
/** Time after which a contract counts as silent, in seconds. */
export const silenceLimit = dedupe(watched("stacks_contract_silent_after_seconds"));

/** A family of the chosen contract. */
export const chosen = (family: string, matchers: Readonly<Record<string, string>> = {}): string =>
  metric(family, { name: "$contract", ...matchers });

/** A recorded series of the chosen contract. */
export const chosenRecording = (record: string): string => dedupe(recording(record, { name: "$contract" }));
