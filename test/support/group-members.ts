// Members of groups that are exported as sums, with counters and gauges.

import type { Task } from "../../src/collectors/collector.ts";
import type { Counted } from "../../src/collectors/counted.ts";
import { groupSum } from "../../src/collectors/subjects.ts";
import { counter, type Family, gauge } from "../../src/exposition/family.ts";
import { fakeTask } from "./fake-task.ts";

const identity = { network: "n", name: "n", address: "a" };
const sent = counter({ name: "stacks_address_sent_total", help: "Sent.", labels: { ...identity, kind: "k" } });
const amount = counter({ name: "stacks_address_amount_total", help: "Amount.", labels: identity });
const level = gauge({ name: "stacks_address_level", help: "Level.", labels: { ...identity, kind: "k" } });
/** The sums of a group. */
export const sums = [groupSum(sent), groupSum(amount), groupSum(level)];
/** Possible contents of a page. */
export const families: readonly Family[] = [sent, amount, level, ...sums.map(({ as }) => as)];

/** The observation of a member that has counted `count`, and `more` since its last poll. */
export const counted = (member: number, count: number, more: number): Counted<number> => ({
  values: count,
  ledger: undefined,
  additions: [
    ...(more > 0 ? [{ family: sent, labels: { kind: `k${member % 2}` }, value: more }] : []),
    { family: amount, labels: {}, value: BigInt(more) * 10n ** 30n },
  ],
});

/** A task of a member of a group, or of an address with its own series. */
export function memberTask(member: number, group: string | undefined): Task {
  const task = fakeTask(async () => 0, {}, "addresses");
  const name = String(member);
  const watched = { principal: name, name, group: group ?? "", labels: {}, isSummed: group !== undefined };
  return {
    ...task,
    target: { key: name, watched, confirmations: 6 },
    collector: {
      ...task.collector,
      sums,
      families: [...task.collector.families, sent, amount],
      counts: { identity: (network) => ({ network, name, address: name }) },
      *samples(observation, network) {
        yield level.at({ network, name, address: name, kind: "k" }, (observation as Counted<number>).values % 5);
      },
    },
  };
}
