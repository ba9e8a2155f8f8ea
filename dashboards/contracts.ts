// Dashboard Contracts: callers, failed calls, events and silence of the watched contracts.
import { CONTRACTS } from "../alerts/thresholds.ts";
import type { Board } from "./board.ts";
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
  ofBusiest,
  silence,
  silenceLimit,
  watched,
} from "./contract-queries.ts";
import { lines, type Panel, stat, table } from "./panel.ts";
import { runbook } from "./runbook.ts";
import { dedupe, perPrincipal, stx } from "./select.ts";

const { failing, silent } = CONTRACTS;

const CALLS = "stacks_contract_calls_total";
const FEES = "stacks_contract_call_fees_microstx_total";
const failedShare = `${inRange(CALLS, FAILED)} / (${inRange(CALLS)} > 0)`;
const relativeSilence = `${grouped(silence)} / on (network, name, contract_id) ${silenceLimit}`;
const silentFor = grouped(perPrincipal(silence));

const overview: readonly Panel[] = [
  stat({
    id: 1,
    title: "Watched",
    description: `Contracts of the selected groups and names. If there are fewer than configured, some were not polled
      yet: see the dashboard Exporter.`,
    unit: "short",
    decimals: 0,
    noValue: NO_CONTRACT,
    width: 4,
    height: 4,
    queries: [{ expr: `count(${dedupe(info)})`, legend: "contracts" }],
  }),
  stat({
    id: 8,
    title: "Calls",
    description: `Direct calls counted in the time range; calls through another contract do not count. Each counts once,
      when it has the configured confirmations.`,
    unit: "locale",
    decimals: 0,
    noValue: NO_CALL,
    width: 4,
    height: 4,
    min: 0,
    queries: [{ expr: `sum(${inRange(CALLS)})`, legend: "calls" }],
  }),
  stat({
    id: 9,
    title: "Failed calls",
    description: `Share of the calls in the time range that failed. The table shows the share of each contract. A
      row below shows the functions and errors of the chosen contract.`,
    unit: "percentunit",
    decimals: 1,
    noValue: NO_CALL,
    width: 4,
    height: 4,
    min: 0,
    steps: [
      [null, "green"],
      [failing.ratio, "orange"],
    ],
    queries: [{ expr: `sum(${inRange(CALLS, FAILED)}) / (sum(${inRange(CALLS)}) > 0)`, legend: "failed" }],
    link: runbook("StacksContractCallsFailing"),
  }),
  stat({
    id: 10,
    title: "Fees of callers (STX)",
    description: "Fees in STX that the senders or sponsors of the calls in the time range paid.",
    unit: "locale",
    decimals: 2,
    noValue: NO_CALL,
    width: 4,
    height: 4,
    min: 0,
    queries: [{ expr: stx(`sum(${inRange(FEES)})`), legend: "fees" }],
  }),
  stat({
    id: 2,
    title: "Events",
    description: "Events counted in the time range. Each event counts once, when it has the configured confirmations.",
    unit: "locale",
    decimals: 0,
    noValue: NO_EVENT,
    width: 4,
    height: 4,
    min: 0,
    queries: [{ expr: `sum(${inRange("stacks_contract_events_total")})`, legend: "events" }],
  }),
  stat({
    id: 11,
    title: "Silent",
    description: `Contracts without a call or event for longer than their silent_after, or than ${silent.ratio} times their
      longest pause of a week. Contracts whose usual pauses are not known yet do not count.`,
    unit: "short",
    decimals: 0,
    noValue: "Unknown: no limit, no day of history, or no current data",
    width: 4,
    height: 4,
    min: 0,
    steps: [
      [null, "green"],
      [1, "orange"],
    ],
    queries: [{ expr: `sum(${relativeSilence} > bool 1)`, legend: "silent" }],
    link: runbook("StacksContractSilent"),
  }),
  table({
    id: 7,
    title: "Contracts",
    description: `Each contract in the time range, the most called ones first. Silent: time since the newest call or event,
      and the limit above which that is longer than usual. Callers: distinct senders in the last hour.`,
    unit: "locale",
    decimals: 0,
    noValue: NO_CONTRACT,
    width: 24,
    height: 11,
    queries: [
      { expr: `max by (network, name, group, contract_id) (${info})` },
      { expr: inRange(CALLS) },
      { expr: failedShare },
      { expr: grouped(perPrincipal(watched("stacks_contract_recent_callers"))) },
      { expr: stx(inRange(FEES)) },
      { expr: inRange("stacks_contract_events_total") },
      { expr: silentFor },
      { expr: grouped(perPrincipal(silenceLimit)) },
    ],
    columns: {
      name: "name",
      group: "group",
      contract_id: "contract",
      network: "network",
      "Value #B": "calls",
      "Value #C": "failed",
      "Value #D": "callers",
      "Value #E": "fees (STX)",
      "Value #F": "events",
      "Value #G": "silent for",
      "Value #H": "limit",
    },
    sortBy: "-calls",
    overrides: [
      { name: "failed", properties: { unit: "percentunit", decimals: 1 } },
      { name: "fees (STX)", properties: { decimals: 3 } },
      { name: "silent for", properties: { unit: "s" } },
      { name: "limit", properties: { unit: "s" } },
      { name: "contract", properties: { "custom.width": 380 } },
      { name: "name", properties: { "custom.width": 140 } },
    ],
  }),
];

const top: readonly Panel[] = [
  lines({
    id: 28,
    title: "Calls",
    legend: "right",
    description: `Counted calls per minute, of the ${MAX_CONTRACTS} contracts with the most calls in the time range. A step is a
      change in use; if calls stop, the front end of the contract may have stopped.`,
    unit: "short",
    noValue: NO_CALL,
    width: 12,
    height: 9,
    axis: "per minute",
    min: 0,
    stacked: true,
    queries: [{ expr: busiestPerMinute(CALLS), legend: "{{name}}" }],
  }),
  lines({
    id: 29,
    title: "Failed calls",
    legend: "right",
    description: `Counted calls per minute that failed, of the ${MAX_CONTRACTS} contracts with the most failed calls in the time
      range. Choose a contract below to see its functions and errors.`,
    unit: "short",
    noValue: "No failed call in this range",
    width: 12,
    height: 9,
    axis: "per minute",
    min: 0,
    stacked: true,
    queries: [{ expr: busiestPerMinute(CALLS, FAILED), legend: "{{name}}" }],
  }),
  lines({
    id: 21,
    title: "Events",
    legend: "right",
    description: `Counted events per minute, of the ${MAX_CONTRACTS} contracts with the most events in the time range. A step is a
      change in use; if events stop, the contract or its front end has stopped.`,
    unit: "short",
    noValue: NO_EVENT,
    width: 12,
    height: 9,
    axis: "per minute",
    min: 0,
    stacked: true,
    queries: [{ expr: busiestPerMinute("stacks_contract_events_total"), legend: "{{name}}" }],
  }),
  lines({
    id: 23,
    title: "Silence, relative to its limit",
    legend: "right",
    description: `Time since the newest call or event as a share of the limit, of the ${MAX_CONTRACTS} contracts nearest to it now.
      Above 100 %, a contract is silent for longer than usual.`,
    unit: "percentunit",
    noValue: "Unknown: set silent_after, wait for a day of history, or see the dashboard Exporter",
    width: 12,
    height: 9,
    min: 0,
    softMax: 1,
    limit: 1,
    queries: [
      {
        expr: `${relativeSilence} and on (network, name) topk(${MAX_CONTRACTS}, last_over_time((${relativeSilence})[5m:1m] @ end()))`,
        legend: "{{name}}",
      },
    ],
  }),
  lines({
    id: 30,
    title: "Callers in the last hour",
    legend: "right",
    description: `Distinct senders of confirmed calls in the hour before the last poll, of the ${MAX_CONTRACTS} contracts with the
      most calls in the time range.`,
    unit: "short",
    decimals: 0,
    noValue: NO_CALL,
    width: 12,
    height: 8,
    min: 0,
    softMax: 1,
    queries: [{ expr: ofBusiest(perPrincipal(watched("stacks_contract_recent_callers")), CALLS), legend: "{{name}}" }],
  }),
  lines({
    id: 38,
    title: "Fees of callers",
    legend: "right",
    description: `Fees of counted calls per minute in STX, of the ${MAX_CONTRACTS} contracts whose callers paid the most in the time
      range.`,
    unit: "short",
    noValue: NO_CALL,
    width: 12,
    height: 8,
    axis: "STX per minute",
    min: 0,
    stacked: true,
    queries: [{ expr: stx(`(${busiestPerMinute(FEES)})`), legend: "{{name}}" }],
  }),
];

const VISIBLE = 'job=~"$job", instance=~"$instance", network=~"$network"';

/** The dashboard Contracts. */
export const contracts: Board = {
  uid: "stacks-contracts",
  title: "Stacks / Contracts",
  description: "Who calls the watched contracts, which calls fail, what do they print, and is one of them silent?",
  from: "now-6h",
  networks: "several",
  variables: [
    {
      kind: "label",
      name: "group",
      label: "Group",
      query: `label_values(stacks_contract_info{${VISIBLE}}, group)`,
    },
    {
      kind: "label",
      name: "name",
      label: "Contracts",
      query: `label_values(stacks_contract_info{${VISIBLE}, group=~"$group"}, name)`,
    },
    {
      kind: "label",
      name: "contract",
      label: "In detail",
      query: `label_values(stacks_contract_info{${VISIBLE}, group=~"$group", name=~"$name"}, name)`,
      isSingle: true,
    },
  ],
  rows: [
    { panels: overview },
    { id: 20, title: `Top ${MAX_CONTRACTS}`, panels: top },
    { id: 39, title: "$contract in detail", panels: detailRow },
    { id: 40, title: "Is everything counted?", collapsed: true, panels: qualityRow },
  ],
};
