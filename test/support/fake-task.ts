import type { AnyCollector, Poll, Task } from "../../src/collectors/collector.ts";
import { counter, gauge } from "../../src/exposition/family.ts";
import { RoundRobin } from "../../src/scheduler/round-robin.ts";

export const level = gauge({ name: "stacks_test_level", help: "A gauge.", labels: { network: "n" } });
export const total = counter({ name: "stacks_test_total", help: "A counter.", labels: { network: "n" } });

/** A task that returns the given observations as its values: polled every 10 s, timeout 5 s, valid for 30 s. */
export function fakeTask(
  observe: (poll: Poll<unknown>) => Promise<unknown>,
  changes: Partial<Task> = {},
  name = "fake",
): Task {
  const collector: AnyCollector = {
    name,
    about: "A fake.",
    schedule: { keyless: "every 10s", free_key: "every 10s" },
    priority: 0,
    operations: [],
    families: [level, total],
    requestsPerPoll: () => 1,
    observe,
    *samples(value, network) {
      yield level.at({ network }, value as number);
      yield total.at({ network }, value as number);
    },
  };
  return {
    network: "mainnet",
    collector,
    target: { key: "", confirmations: 6 },
    options: {},
    intervalMs: 10_000,
    configuredIntervalMs: 10_000,
    timeoutMs: 5_000,
    maxAgeMs: 30_000,
    ...changes,
  };
}

/** A round robin of tasks, with the times of the first: of watched principals, unless its target is the chain. */
export function roundRobinOf(tasks: readonly Task[]): RoundRobin {
  const first = tasks[0] ?? fakeTask(async () => 0);
  const isChain = tasks[0]?.target.key === "";
  const settings = isChain ? first : { ...first, collector: { ...first.collector, targets: () => [] } };
  const { intervalMs, configuredIntervalMs, maxAgeMs } = settings;
  const times = { intervalMs, configuredIntervalMs, maxAgeMs };
  const roundRobin = new RoundRobin(settings);
  const targets = tasks.map(({ target }) => target);
  roundRobin.update(targets, times, 0);
  return roundRobin;
}
