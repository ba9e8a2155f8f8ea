// Stories of wallets on a simulated chain, with replicas, forks and restarts, and what the collector has to show.
import { isDeepStrictEqual } from "node:util";
import { expect } from "@jest/globals";
import { Random } from "../../../simulator/chain/random.ts";
import type { Tx } from "../../../simulator/chain/transaction.ts";
import type { ReplicaSpec } from "../../../simulator/replicas/replicas.ts";
import { samplesOn, WaitingWorld } from "../../support/waiting-world.ts";

const WALLETS = 5;
const MINUTE = 60;
// A drop is noticed within this time.
const NOTICED = 45 * MINUTE;
// A transaction that waits for so long is listed, also by a server that is behind. The lists can lack one that is
// removed earlier.
const LISTED = 15 * MINUTE;

/** The waiting transactions of a wallet, from the mempool and the ledger of the simulator. */
function expectedOf({ chain }: WaitingWorld, principal: string) {
  const all = [...chain.mempool.values()];
  const [sent, received] = [
    all.filter(({ sender }) => sender === principal),
    all.filter((tx) => tx.sender !== principal && isOf(tx, principal)),
  ];
  const samples: Record<string, number> = {};
  const isContract = principal.includes(".");
  for (const [direction, txs] of isContract
    ? ([["in", received]] as const)
    : ([
        ["in", received],
        ["out", sent],
      ] as const)) {
    for (const type of ["token_transfer", "smart_contract", "contract_call", "poison_microblock"]) {
      const count = txs.filter((tx) => tx.type === type).length;
      if (count > 0 || type !== "poison_microblock") samples[`mempool_transactions ${direction} ${type}`] = count;
    }
    if (txs.length > 0)
      samples[`mempool_oldest_receipt_timestamp_seconds ${direction}`] = Math.min(...txs.map((tx) => tx.receivedAt));
  }
  const [next] = sent.toSorted((a, b) => a.nonce - b.nonce);
  if (next !== undefined) samples[`mempool_next_fee_microstx ${next.type}`] = next.fee;
  const nonces = new Set(sent.map(({ nonce }) => nonce));
  let missing = chain.ledger.nonceOf(principal);
  while (nonces.has(missing)) missing += 1;
  const blocked = [...nonces].filter((nonce) => nonce > missing).length;
  if (blocked > 0) {
    samples.missing_nonce = missing;
    samples.mempool_blocked_transactions = blocked;
  }
  return samples;
}

/** The transactions that left the mempool without being mined, by what the simulator holds. */
class Removals {
  readonly #chain: WaitingWorld["chain"];
  readonly #waiting = new Map<string, Tx>();
  readonly #removed = new Map<
    string,
    { readonly tx: Tx; readonly reason: "replaced" | "dropped"; readonly at: number }
  >();

  constructor({ chain }: WaitingWorld) {
    this.#chain = chain;
  }

  get count(): number {
    return this.#removed.size;
  }

  look(): void {
    const { ledger, mempool } = this.#chain;
    const all = [...mempool.values()];
    for (const [id, tx] of this.#waiting) {
      const place = ledger.placeOf(id);
      const isMined = place !== undefined && ledger.isCanonical(place.block);
      if (isMined || mempool.get(id) !== undefined || this.#removed.has(id)) continue;
      const isUsed = tx.nonce < ledger.nonceOf(tx.sender);
      const isReplaced = isUsed || all.some(({ sender, nonce }) => sender === tx.sender && nonce === tx.nonce);
      this.#removed.set(id, { tx, reason: isReplaced ? "replaced" : "dropped", at: this.#chain.now });
    }
    for (const tx of all) this.#waiting.set(tx.id, tx);
  }

  /** The counters of a principal, with those that waited at least this long. Seconds. */
  of(principal: string, least = 0): Record<string, number> {
    const counters: Record<string, number> = {};
    const own = [...this.#removed.values()].filter(({ tx, at }) => isOf(tx, principal) && at - tx.receivedAt >= least);
    for (const direction of principal.includes(".") ? ["in"] : ["in", "out"]) {
      for (const reason of ["replaced", "dropped"]) {
        counters[`mempool_removed_transactions_total ${direction} ${reason}`] = own.filter(
          ({ tx, reason: why }) => why === reason && (tx.sender === principal ? "out" : "in") === direction,
        ).length;
      }
    }
    return counters;
  }
}

const isOf = ({ sender, payload }: Tx, principal: string) =>
  sender === principal ||
  ("recipient" in payload && payload.recipient === principal) ||
  ("contract" in payload && payload.contract === principal);

/** Runs one story; the same seed is the same story. Returns how much happened in it. */
export async function story(
  seed: number,
  hours = 5,
): Promise<Readonly<Record<"removed" | "gaps" | "restarts", number>>> {
  const random = new Random(`waiting ${seed}`);
  await using world = await WaitingWorld.start({ seed: `waiting ${seed}`, activity: 0 }, ({ accounts }) => [
    ...accounts.users.slice(0, WALLETS),
    accounts.contracts.vault,
  ]);
  const { chain, simulator } = world;
  const wallets = world.principals.filter((principal) => !principal.includes("."));
  // `principal id` of the transactions that the page has shown: its gauges were those of the mempool.
  const seen = new Set<string>();
  const removals = new Removals(world);
  const happened = { gaps: 0, restarts: 0 };
  const droppedAt = new Map<string, number>();
  const oldOf = (wallet: string) =>
    [...chain.mempool.values()].filter(
      (tx) => tx.sender === wallet && seen.has(`${wallet} ${tx.id}`) && Number.isFinite(tx.readyAt),
    );
  const sendSome = () => {
    for (let left = random.int(1, 4); left > 0; left -= 1) chain.send(random.pick(wallets));
  };
  const EVENTS: readonly (() => void | Promise<void>)[] = [
    sendSome,
    sendSome,
    sendSome,
    sendSome,
    () => chain.send(random.pick(wallets), { skip: 1 }),
    () => chain.send(random.pick(wallets), { fee: 100 }),
    () => {
      const [tx] = oldOf(random.pick(wallets));
      if (tx !== undefined) chain.replace(tx, tx.fee + 3000);
    },
    () => {
      const [tx] = oldOf(random.pick(wallets));
      if (tx === undefined) return;
      chain.drop(tx);
      droppedAt.set(`${tx.sender} ${tx.nonce}`, chain.now);
    },
    () => fill(random.pick(wallets)),
    () => fill(random.pick(wallets)),
    () => {
      chain.reorg(random.int(1, 2));
    },
    () => {
      happened.restarts += 1;
      return world.restart();
    },
    () => {
      const specs: ReplicaSpec[] = [
        { kind: "newest" },
        { kind: "lag", blocks: random.int(1, 12) },
        random.chance(0.5) ? { kind: "newest" } : { kind: "lag", seconds: random.int(10, 240) },
      ];
      simulator.replicas.use(specs, 20 * MINUTE);
    },
  ];
  /** The missing nonce of a wallet arrives. */
  function fill(wallet: string): void {
    const { missing_nonce: nonce } = expectedOf(world, wallet);
    // A nonce that is used again before the drop is noticed is one that was replaced.
    if (nonce === undefined || chain.now - (droppedAt.get(`${wallet} ${nonce}`) ?? 0) < NOTICED) return;
    happened.gaps += 1;
    chain.send(wallet, { nonce });
  }
  world.onPolls = () => removals.look();
  const check = async () => {
    removals.look();
    const page = await world.exporter.page();
    for (const principal of world.principals) {
      const samples = samplesOn(page, principal);
      const counters = removals.of(principal);
      // Never more than were removed, at any time.
      for (const [key, max] of Object.entries(counters)) {
        expect([principal, key, Math.max(samples[key] ?? 0, max)]).toEqual([principal, key, max]);
      }
      const gauges = Object.entries(samples).filter(([key]) => counters[key] === undefined);
      if (!isDeepStrictEqual(Object.fromEntries(gauges), expectedOf(world, principal))) continue;
      for (const { id } of chain.mempool.values()) seen.add(`${principal} ${id}`);
    }
  };

  for (const end = chain.now + hours * 3600; chain.now < end; ) {
    if (random.chance(0.5)) await random.pick(EVENTS)();
    removals.look();
    await world.pass(random.int(10, 3 * MINUTE));
    await check();
  }
  // The servers agree again, and no more transactions are removed.
  simulator.replicas.clear();
  await world.pass(NOTICED);
  for (const wallet of wallets) for (let left = 20; left > 0; left -= 1) fill(wallet);
  const kept = wallets[0] as string;
  chain.send(kept, { skip: 2 });
  // Strangers still send, and what they send is dropped at times: until everything is seen.
  const [samples, expected] = [new Map<string, object>(), new Map<string, object>()];
  for (let minutes = 0; minutes < 240; minutes += 1) {
    await world.pass(MINUTE);
    await check();
    if (minutes < 30) continue;
    for (const principal of world.principals) {
      const own = await world.samplesOf(principal);
      const counters = Object.entries(removals.of(principal, LISTED)).map(([key, least]) => {
        const most = removals.of(principal)[key] ?? 0;
        return [key, Math.min(Math.max(own[key] ?? 0, least), most)];
      });
      samples.set(principal, own);
      expected.set(principal, { ...expectedOf(world, principal), ...Object.fromEntries(counters) });
    }
    if (isDeepStrictEqual(samples, expected)) break;
  }
  expect(samples).toEqual(expected);
  return { ...happened, removed: removals.count };
}
