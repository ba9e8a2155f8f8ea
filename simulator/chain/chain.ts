// The simulated chain: a pure function of its seed, the commands it received and the time it was advanced to. Knows no
// clock and no HTTP; callers pass the time.
import type { TxContext } from "../tx-builders/context.ts";
import { buildTransfer } from "../tx-builders/transfer.ts";
import { type Accounts, createAccounts, type Network } from "./accounts.ts";
import { type Block, sealBlock } from "./block.ts";
import type { Cost } from "./cost.ts";
import { drawFee } from "./fees.ts";
import { History } from "./history.ts";
import { Ledger } from "./ledger.ts";
import { Market, MEMPOOL_SECONDS, type ScenarioKind, type ScenarioOptions, type Submission } from "./market.ts";
import { Mempool } from "./mempool.ts";
import { selectTransactions } from "./miner.ts";
import { digest, Random } from "./random.ts";
import { type Reorg, type ReorgOptions, reorganise } from "./reorg.ts";
import { blockInterval, blockStream, historySeconds } from "./schedule.ts";
import { callSize, MINER_COUNT, RENEWAL_SECONDS, Tenure } from "./tenure.ts";
import type { Tx } from "./transaction.ts";

/** Options of a chain. */
export interface ChainOptions {
  /** Any text. The same seed gives the same chain. */
  readonly seed: string;
  /** Virtual time at which the history ends, Unix seconds. */
  readonly start: number;
  /** Number of blocks at `start`, which is the time of the newest. 0 gives an API with an empty database. */
  readonly history: number;
  /** Hours before those blocks, in which the chain was slow: a block every half an hour. @default 0 */
  readonly slowHours?: number | undefined;
  /** Least number of seconds between two renewals of a budget within a tenure. @default 144 */
  readonly renewal?: number | undefined;
  readonly network: Network;
  /** Whether spikes, floods and stuck clusters also start at random, one in about 90 minutes. */
  readonly randomEvents: boolean;
  /** Multiplies the arrivals of ordinary demand, 0.7 a second on average. @default 1 */
  readonly activity?: number | undefined;
  /** Older blocks are dropped with their transactions; totals still include them. */
  readonly keepBlocks: number;
}

/** Options of a transfer. */
export interface SendOptions {
  /** µSTX. Miners ignore a fee below `MIN_FEE`. @default drawn like those of ordinary demand */
  readonly fee?: number | undefined;
  /** Number of nonces to leave out: without them the transfer waits. @default 0 */
  readonly skip?: number | undefined;
  /** @default the next one of the account, after those of its waiting transactions */
  readonly nonce?: number | undefined;
  /** µSTX. @default a random one */
  readonly amount?: bigint | undefined;
}

/** Fee below which no miner includes a transfer, µSTX. */
export const MIN_FEE = 180;

const EXPIRY_SECONDS = 30;
// Blocks of the slow hours, and the seconds of ordinary demand that are in one.
const SLOW = { everySeconds: 1800, demandSeconds: 60 };
const EVENT_SECONDS = 5400;

/** A chain in progress. Read it through `ledger` and `mempool`; change it only through the methods. */
export class Chain {
  readonly options: ChainOptions;
  readonly accounts: Accounts;
  readonly ledger: Ledger;
  /** Earlier states, for replicas that lag. */
  readonly history: History;
  readonly mempool = new Mempool();
  readonly market: Market;
  readonly #tenure: Tenure;
  readonly #intervals: Random;
  readonly #events: Random;
  readonly #forks: Random;
  /** Its own random stream: transfers on command do not change what the market sends. */
  readonly #orders: TxContext;
  #now: number;
  #nextBlockAt: number;
  #txs = 0;
  #sponsored = 0;
  #reorgs = 0;

  constructor(options: ChainOptions) {
    const { seed, start, history, network, renewal = RENEWAL_SECONDS } = options;
    this.options = options;
    this.accounts = createAccounts(seed, network);
    this.ledger = new Ledger(options.keepBlocks);
    this.history = new History(options.keepBlocks);
    let tokens = 0;
    const nextToken = () => {
      tokens += 1;
      return tokens;
    };
    const random = new Random(`${seed}:market`);
    const context: TxContext = { random, accounts: this.accounts, nextToken, callSize: callSize(renewal) };
    this.market = new Market(context, { ...context, random: new Random(`${seed}:gaps`) }, options.activity);
    this.#intervals = blockStream(seed);
    this.#events = new Random(`${seed}:events`);
    this.#forks = new Random(`${seed}:forks`);
    this.#orders = { ...context, random: new Random(`${seed}:orders`) };
    const end = Math.floor(start);
    const slowBlocks = Math.ceil(((options.slowHours ?? 0) * 3600) / SLOW.everySeconds);
    this.#now = end - historySeconds(seed, history) - slowBlocks * SLOW.everySeconds;
    const miners = Array.from({ length: MINER_COUNT }, (_, index) => this.accounts.unused(-1 - index));
    this.#tenure = new Tenure({ seed, genesis: this.#now, miners, renewal });
    for (let left = slowBlocks; left > 0; left -= 1) this.#slowBlock();
    this.#nextBlockAt = this.#now + blockInterval(this.#intervals);
    this.#admit(this.market.background(this.#now));
    this.advanceTo(end);
  }

  /** Virtual time, whole Unix seconds. */
  get now(): number {
    return this.#now;
  }

  /** Height of the newest block; 0 before the first. */
  get height(): number {
    return this.ledger.tip?.height ?? 0;
  }

  /** The cost of the blocks since the budget was renewed. */
  get budgetUsed(): Cost {
    return this.#tenure.used;
  }

  /** Advances to a virtual time (Unix seconds). Does nothing for a time in the past. */
  advanceTo(time: number): void {
    while (this.#now + 1 <= time) {
      this.#now += 1;
      this.#second();
    }
  }

  /** Starts a fee spike, a flood of cheap transfers, or a cluster of stuck transactions. */
  begin(kind: ScenarioKind, options: ScenarioOptions = {}): void {
    this.#admit(this.market.start(kind, this.#now, options));
  }

  /** Ends all scenarios and removes stuck transactions. A backlog drains block by block. */
  calm(): void {
    this.market.scenarios = [];
    this.mempool.drop(({ origin }) => origin === "stuck", this.#now);
  }

  /** Replaces the newest `depth` blocks by others of the same heights. Block 1 is never replaced. */
  reorg(depth: number, options: ReorgOptions = {}): Reorg {
    this.#reorgs += 1;
    const reorg = reorganise(this.ledger, this.#forks, depth, this.#reorgs, { ...options, seed: this.options.seed });
    this.#record(reorg.orphaned.length, reorg.replaced);
    for (const tx of reorg.returned) this.mempool.add(tx, this.#now);
    this.mempool.touch(this.#now);
    return reorg;
  }

  /** An account sends a transfer, without a sponsor. */
  send(sender: string, { fee, skip = 0, nonce, amount }: SendOptions = {}): Tx {
    const { random } = this.#orders;
    const offer = fee ?? drawFee(random, "market", "token_transfer", this.market.entryPrice);
    const submission: Submission = {
      unsigned: { ...buildTransfer(this.#orders, sender, amount), sponsor: null },
      origin: "market",
      fee: offer,
      readyAt: offer < MIN_FEE ? Number.MAX_SAFE_INTEGER : this.#now,
      expiresAt: this.#now + MEMPOOL_SECONDS,
    };
    const next = this.mempool.nextNonce(sender, this.ledger.nonceOf(sender));
    const tx = this.#sign(submission, nonce ?? next + skip);
    this.mempool.add(tx, this.#now);
    return tx;
  }

  /** The sender of a waiting transaction replaces it by a transfer with another fee, in µSTX. */
  replace({ id, sender, nonce }: Tx, fee: number): Tx {
    this.mempool.remove(id, this.#now);
    return this.send(sender, { fee, nonce });
  }

  /** Drops a waiting transaction. Later ones of its sender wait for its nonce. */
  drop({ id }: Tx): void {
    this.mempool.remove(id, this.#now);
  }

  #second(): void {
    const now = this.#now;
    if (this.options.randomEvents && this.market.scenarios.length === 0 && this.#events.chance(1 / EVENT_SECONDS)) {
      this.begin(this.#events.pick(["spike", "flood", "stuck"] as const));
    }
    this.#admit(this.market.arrivals(now, 1, this.mempool.size));
    if (now % EXPIRY_SECONDS === 0) this.mempool.drop(({ expiresAt }) => expiresAt <= now, now);
    if (now < this.#nextBlockAt) return;
    this.#mine();
    this.#nextBlockAt = now + blockInterval(this.#intervals);
  }

  #slowBlock(): void {
    this.#now += SLOW.everySeconds;
    this.mempool.drop(({ expiresAt }) => expiresAt <= this.#now, this.#now);
    this.#admit(this.market.arrivals(this.#now, SLOW.demandSeconds, this.mempool.size));
    this.#mine();
  }

  /** Mines a block at the present time. */
  #mine(): void {
    const now = this.#now;
    const nonces = new Map<string, number>();
    const protocol = this.#tenure.open(now, this.ledger.tip).map((unsigned) => {
      const nonce = nonces.get(unsigned.sender) ?? this.ledger.nonceOf(unsigned.sender);
      nonces.set(unsigned.sender, nonce + 1);
      return this.#sign({ unsigned, origin: "protocol", fee: 0, readyAt: now, expiresAt: now }, nonce);
    });
    const { txs, cost, isFull, cheapest } = selectTransactions(
      this.mempool.byFee(),
      this.#tenure.room(),
      now,
      (sender) => this.ledger.nonceOf(sender),
    );
    const { burn, height: tenureHeight } = this.#tenure;
    const content = { height: this.height + 1, time: now, burn, tenureHeight, txs: [...protocol, ...txs], cost };
    const block = sealBlock(this.options.seed, { ...content, fork: 0 }, this.ledger.tip);
    this.ledger.append(block);
    this.#record(0, [block]);
    this.#tenure.spend(cost);
    if (!isFull) this.market.entryPrice = undefined;
    else if (cheapest < Infinity) this.market.entryPrice = cheapest;
    this.mempool.take(txs, now);
  }

  #record(removed: number, added: readonly Block[]): void {
    const oldest = this.ledger.blocks[0]?.height ?? 1;
    this.history.record({ time: this.#now, height: this.height, removed, added }, oldest);
  }

  #admit(submissions: Iterable<Submission>): void {
    for (const submission of submissions) {
      const { sender } = submission.unsigned;
      const onChain = this.ledger.nonceOf(sender);
      const nonce = Number.isFinite(submission.readyAt) ? this.mempool.nextNonce(sender, onChain) : onChain + 2;
      this.mempool.add(this.#sign(submission, nonce), this.#now);
    }
  }

  #sign({ unsigned, ...submission }: Submission, nonce: number): Tx {
    this.#txs += 1;
    if (unsigned.sponsor !== null) this.#sponsored += 1;
    return {
      ...unsigned,
      ...submission,
      id: digest(this.options.seed, "tx", this.#txs),
      type: unsigned.payload.type,
      nonce,
      sponsorNonce: unsigned.sponsor === null ? 0 : this.#sponsored - 1,
      receivedAt: this.#now,
      receivedHeight: this.height,
    };
  }
}
