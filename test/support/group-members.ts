// Members of groups that are exported as sums, with counters and gauges of every kind.
import { groupSum } from "../../src/collectors/group-families.ts";
import type { Task } from "../../src/collectors/task.ts";
import { counter, type Family, gauge, histogram } from "../../src/exposition/family.ts";
import { fakeTask } from "./fake-task.ts";

const identity = { network: "n", name: "n", address: "a" };
const sent = counter({ name: "stacks_address_sent_total", help: "Sent.", labels: { ...identity, kind: "k" } });
const amount = counter({ name: "stacks_address_amount_total", help: "Amount.", labels: identity });
const sizes = histogram({ name: "stacks_address_size_units", help: "Sizes.", bounds: [1], labels: identity });
const level = gauge({ name: "stacks_address_level", help: "Level.", labels: identity });
const seen = gauge({ name: "stacks_address_seen_seconds", help: "Seen.", labels: identity });
/** The sums of a group. */
export const sums = [groupSum(sent), groupSum(amount), groupSum(sizes), groupSum(level), groupSum(seen, "max")];
/** Possible contents of a page. */
export const families: readonly Family[] = [sent, amount, sizes, level, seen, ...sums.map(({ as }) => as)];

/** A task whose observations are counts; everything that is exposed follows from them. */
export function memberTask(member: number, group: string | undefined): Task {
  const task = fakeTask(async () => 0, {}, "addresses");
  const name = String(member);
  const watched = { principal: name, name, group: group ?? "", labels: {}, isSummed: group !== undefined };
  const own = { name, address: name };
  return {
    ...task,
    target: { key: name, watched },
    collector: {
      ...task.collector,
      sums,
      isDurable: true,
      *samples(observation, network) {
        const { count } = observation as { readonly count: number };
        const labels = { network, ...own };
        if (count > 0) yield sent.at({ ...labels, kind: `k${member % 2}` }, count);
        yield amount.at(labels, BigInt(count) * 10n ** 30n);
        yield sizes.at(labels, { counts: [count, 2 * count], sum: BigInt(count) });
        yield level.at(labels, count % 5);
        yield seen.at(labels, count);
      },
    },
  };
}
