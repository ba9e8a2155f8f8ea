// Starts a simulated chain and an exporter that polls it.
import type { Io, Simulated } from "./io.ts";
import { type Flags, loadConfig } from "./load-config.ts";
import { serveConfig } from "./serve.ts";

// Fast enough to watch, and still within a budget.
const demoConfig = ({ url, watch }: Simulated) => `state: memory
networks:
  - name: simulated
    url: ${url}
    budget: { per_minute: 300, per_month: unlimited }
    addresses: ${JSON.stringify(watch.addresses)}
    contracts: ${JSON.stringify(watch.contracts)}
collectors:
  fees: { every: 5s }
  mempool: { every: 5s }
  transactions: { every: 5s }
  mempool_transactions: { every: 10s }
  blocks: { every: 10s, blocks_per_minute: 600 }
  addresses: { every: 20s }
  balances: { every: 60s, groups: [exchange, dao] }
  staking: { every: 60s, groups: [exchange, dao] }
  pox: { enabled: true, every: 60s }
  waiting: { every: 20s, groups: [exchange, dao] }
  contracts: { every: 20s }
  contract_calls: { every: 30s }
`;

/** Runs until `io.stopped`, or until its terminal closes. */
export async function demo(flags: Flags, io: Io): Promise<number> {
  // At some times of day, fewer hours have too few samples for the usual fee.
  const simulator = await io.startSimulator(["--seed", flags.seed ?? "1", "--slow-hours", "80", "--random-events"]);
  try {
    const served = { "web.listenAddress": ["127.0.0.1:10789"], "log.format": "pretty", ...flags } as const;
    const loaded = await loadConfig(served, io, { text: demoConfig(simulator) });
    const onListening = (url: string) => {
      io.out(`A simulated Stacks chain listens at   ${simulator.url}/_sim/\n`);
      io.out(`The exporter polls it and serves      ${url}/metrics\n`);
      io.out(`Make fees spike with                  curl -X POST ${simulator.url}/_sim/spike\n`);
      io.out("Stop with Ctrl+C.\n");
    };
    const closed = new Promise<void>((resolve) => io.onHangUp(resolve));
    const stopped = Promise.race([io.stopped, closed]);
    await serveConfig(loaded, { ...io, stopped, onHangUp: () => undefined }, {}, onListening);
  } finally {
    simulator.stop();
  }
  return 0;
}
