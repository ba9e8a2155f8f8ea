// Dashboard Contracts: callers, failed calls, events and silence of the watched contracts.
import { limitsOf } from "../alerts/values.ts";
import { type Board, choiceOf } from "./board.ts";
import { from0 } from "./colours.ts";
import { detailRow } from "./contract-detail.ts";
import { qualityRow } from "./contract-quality.ts";
import {
  busiestPerMinute,
  FAILED,
  grouped,
  info,
  inRange,
  MAX_CONTRACTS,
  NO_CALL,
  NO_CONTRACT,
  NO_EVENT,
  silence,
  silenceLimit,
} from "./contract-queries.ts";
import { level, lines, type Panel, rates, stats, table } from "./panel.ts";
import { runbook } from "./runbook.ts";
import { dedupe, perPrincipal, stx } from "./select.ts";

const { ratio } = limitsOf("StacksContractCallsFailing");

const CALLS = "stacks_contract_calls_total";
const failedShare = `${inRange(CALLS, FAILED)} / (${inRange(CALLS)} > 0)`;
const relativeSilence = `${grouped(silence)} / on (network, name, contract_id) ${silenceLimit}`;

const overview: readonly Panel[] = [
  ...stats(
    { width: 5, height: 4, decimals: 0 },
    {
      id: 1,
      title: "Watched",
      description:
        "Contracts of the configuration, of the selected groups and names. Values appear with the first poll.",
      noValue: NO_CONTRACT,
      queries: { contracts: `count(${dedupe(info)})` },
    },
    {
      id: 8,
      title: "Calls",
      description: `Direct calls counted in the time range; calls through another contract do not count. Each counts once,
      when it has the configured confirmations.`,
      unit: "locale",
      noValue: NO_CALL,
      queries: { calls: `sum(${inRange(CALLS)})` },
    },
    {
      id: 9,
      title: "Failed calls",
      description: `Share of the calls in the time range that failed. The table shows the share of each contract. A
      row below shows the functions and errors of the chosen contract.`,
      unit: "percentunit",
      decimals: 1,
      noValue: NO_CALL,
      steps: from0("green", [level(ratio), "orange"]),
      queries: { failed: `sum(${inRange(CALLS, FAILED)}) / (sum(${inRange(CALLS)}) > 0)` },
      link: runbook("StacksContractCallsFailing"),
    },
    {
      id: 2,
      title: "Events",
      description:
        "Events counted in the time range. Each event counts once, when it has the configured confirmations.",
      unit: "locale",
      noValue: NO_EVENT,
      queries: { events: `sum(${inRange("stacks_contract_events_total")})` },
    },
    {
      id: 11,
      title: "Silent",
      description:
        "Contracts without a call or event for longer than their silent_after. Those without one do not count.",
      noValue: "Unknown: no silent_after, or no current data",
      width: 4,
      steps: from0("green", [1, "orange"]),
      queries: { silent: `sum(${relativeSilence} > bool 1)` },
      link: runbook("StacksContractSilent"),
    },
  ),
  table({
    id: 7,
    title: "Contracts",
    description: `Each contract in the time range, the most called ones first. Silent: time since the newest call or event,
      and its silent_after.`,
    unit: "locale",
    decimals: 0,
    noValue: NO_CONTRACT,
    width: 24,
    height: 11,
    only: [`max by (network, name, group, contract_id) (${info})`],
    labels: { name: "name", group: "group", contract_id: "contract", network: "network" },
    values: {
      calls: inRange(CALLS),
      failed: failedShare,
      "fees (STX)": stx(inRange("stacks_contract_call_fees_microstx_total")),
      events: inRange("stacks_contract_events_total"),
      "silent for": grouped(perPrincipal(silence)),
      limit: grouped(perPrincipal(silenceLimit)),
    },
    sortBy: "-calls",
    overrides: [
      { name: "failed", properties: { unit: "percentunit", decimals: 1 } },
      { name: "fees (STX)", properties: { decimals: 3 } },
      { name: "silent for", properties: { unit: "s" } },
      { name: "limit", properties: { unit: "s" } },
      { name: "contract", properties: { "custom.width": 540 } },
      { name: "name", properties: { "custom.width": 140 } },
    ],
  }),
];

const top: readonly Panel[] = [
  rates({
    id: 28,
    title: "Calls",
    interval: "5m",
    description: `Counted calls per minute, of the ${MAX_CONTRACTS} contracts with the most calls in the time range. A step is a
      change in use; if calls stop, the front end of the contract may have stopped.`,
    noValue: NO_CALL,
    height: 9,
    queries: { "{{name}}": busiestPerMinute(CALLS) },
  }),
  rates({
    id: 29,
    title: "Failed calls",
    interval: "5m",
    description: `Counted calls per minute that failed, of the ${MAX_CONTRACTS} contracts with the most failed calls in the time
      range. Choose a contract below to see its functions and errors.`,
    noValue: "No failed call was counted in this range",
    height: 9,
    queries: { "{{name}}": busiestPerMinute(CALLS, FAILED) },
  }),
  rates({
    id: 21,
    title: "Events",
    interval: "5m",
    description: `Counted events per minute, of the ${MAX_CONTRACTS} contracts with the most events in the time range. A step is a
      change in use; if events stop, the contract or its front end has stopped.`,
    noValue: NO_EVENT,
    height: 9,
    queries: { "{{name}}": busiestPerMinute("stacks_contract_events_total") },
  }),
  lines({
    id: 23,
    title: "Silence, relative to its limit",
    description: `Time since the newest call or event as a share of the limit, of the ${MAX_CONTRACTS} contracts nearest to it now.
      Above 100 %, StacksContractSilent fires, unless calls or events are not read yet.`,
    unit: "percentunit",
    noValue: "Unknown: set silent_after, or see the dashboard Exporter",
    height: 9,
    softMax: 1,
    limit: 1,
    queries: {
      "{{name}}": `${relativeSilence} and on (network, name) topk(${MAX_CONTRACTS}, last_over_time((${relativeSilence})[5m:1m] @ end()))`,
    },
  }),
];

/** The dashboard Contracts. */
export const contracts: Board = {
  uid: "stacks-contracts",
  title: "Stacks / Contracts",
  description: "Who calls the watched contracts, which calls fail, what do they print, and is one of them silent?",
  from: "now-6h",
  networks: "several",
  variables: [
    choiceOf("stacks_contract_info", "group", "Group"),
    choiceOf("stacks_contract_info", "name", "Contracts", { within: ["group"] }),
    choiceOf("stacks_contract_info", "name", "In detail", {
      name: "contract",
      within: ["group", "name"],
      isSingle: true,
    }),
  ],
  rows: [
    { panels: overview },
    { id: 20, title: `Top ${MAX_CONTRACTS}`, panels: top },
    { id: 39, title: "$contract in detail", panels: detailRow },
    { id: 40, title: "Is everything counted?", collapsed: true, panels: qualityRow },
  ],
};
