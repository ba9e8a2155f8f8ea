// Evaluates the estimates of the running collectors by the true receipt times of the simulator, during a mint rush.
import { expect, test } from "@jest/globals";
import { Client } from "../../../src/api/client.ts";
import { Redactor } from "../../../src/api/redact.ts";
import { blocks } from "../../../src/collectors/blocks/blocks.ts";
import { mempoolTransactions } from "../../../src/collectors/mempool-transactions/mempool-transactions.ts";
import { transactions } from "../../../src/collectors/transactions/transactions.ts";
import { stillSimulator } from "../../simulator/support.ts";
import { CollectorRun } from "../../support/collect.ts";

const MINUTES = 60;

/** A recommendation, with its start. */
interface Recommended {
  readonly at: number;
  readonly fee: number | undefined;
  readonly isFull: boolean;
}

test.each([2, 5])(
  "polls every %d minutes: who paid what was recommended was mined within ten minutes",
  async (every) => {
    await using simulator = await stillSimulator({ seed: 7, history: 300 });
    await using ends = new AsyncDisposableStack();
    const budget = { perMinute: 100_000, perMonth: undefined };
    const client = new Client({ baseUrl: simulator.url, userAgent: "test", budget, redactor: new Redactor([]) });
    ends.defer(() => client.close());
    const { chain } = simulator;
    const apiNow = () =>
      client.forPoll({ priority: 0, signal: AbortSignal.timeout(60_000), deadline: Number.POSITIVE_INFINITY });
    const runs: CollectorRun[] = [];
    const surroundings = () => ({
      ...{ api: apiNow(), now: chain.now * 1000, spareSeries: 1000 },
      ...{ chain: runs[0]?.views.chain, mined: runs[1]?.views.mined },
    });
    for (const one of [blocks, transactions, mempoolTransactions]) {
      runs.push(new CollectorRun(one, apiNow(), surroundings));
    }
    const pollAll = async () => {
      for (const run of runs) await run.poll();
      expect(runs.flatMap(({ failures }) => failures)).toEqual([]);
      return runs[2]?.feeEstimate?.types.all?.fees["10m"];
    };

    const recommended: Recommended[] = [];
    for (let minute = 0; minute < 240; minute += every) {
      if (minute === 30 || minute === 150) chain.begin("spike", { seconds: 30 * MINUTES, strength: 1.5 });
      const fee = await pollAll();
      recommended.push({ at: chain.now, fee, isFull: chain.market.entryPrice !== undefined });
      simulator.advance(every * MINUTES);
    }

    const minedAt = new Map<string, number>();
    const all = chain.ledger.blocks.flatMap(({ time, txs }) =>
      txs.map((tx) => {
        minedAt.set(`${tx.sender} ${tx.nonce}`, time);
        return tx;
      }),
    );
    const scores: Record<"full" | "room", [inTime: number, all: number]> = { full: [0, 0], room: [0, 0] };
    for (const tx of [...all, ...chain.mempool.values()]) {
      const last = recommended.findLast(({ at }) => at < tx.receivedAt);
      if (last?.fee === undefined || tx.fee < last.fee || tx.fee > 1.2 * last.fee) continue;
      if (!Number.isFinite(tx.readyAt) || tx.receivedAt > chain.now - 10 * MINUTES) continue;
      // An earlier transaction of the sender waits: its fee decides.
      if ((minedAt.get(`${tx.sender} ${tx.nonce - 1}`) ?? (tx.nonce > 0 ? Infinity : 0)) > tx.receivedAt) continue;
      const share = scores[last.isFull ? "full" : "room"];
      share[1] += 1;
      if ((minedAt.get(`${tx.sender} ${tx.nonce}`) ?? Infinity) - tx.receivedAt <= 10 * MINUTES) share[0] += 1;
    }
    const partOf = ([inTime, all]: readonly [number, number]) => inTime / all;
    expect(scores.full[1]).toBeGreaterThan(100);
    expect(scores.room[1]).toBeGreaterThan(100);
    expect(partOf(scores.full)).toBeGreaterThanOrEqual(0.75);
    expect(partOf(scores.room)).toBeGreaterThanOrEqual(0.85);
  },
  300_000,
);
