// The simulated chain: a pure function of its seed, the commands it got and the time it was advanced to.
// Knows no clock and no HTTP; whoever asks it brings the time.
import type { TxContext } from "../tx-builders/context.ts";
import { type Accounts, createAccounts, type Network } from "./accounts.ts";
import { type Block, sealBlock } from "./block.ts";
import { History } from "./history.ts";
import { Ledger } from "./ledger.ts";
import { Market, type Submission } from "./market.ts";
import { Mempool } from "./mempool.ts";
import { select } from "./miner.ts";
import { digest, Random } from "./random.ts";
import { type Reorg, reorganise } from "./reorg.ts";
import type { ScenarioKind, ScenarioOptions } from "./scenario.ts";
import { blockInterval, blockStream, historySeconds } from "./schedule.ts";
import { MINER_COUNT, Tenure } from "./tenure.ts";
import type { Origin, Tx, UnsignedTx } from "./transaction.ts";

/** How a chain begins. */
export interface ChainOptions {
  /** Anything; the same seed lives the same life. */
  readonly seed: string;
  /** Virtual time at which the history ends, Unix seconds. */
  readonly start: number;
  /** Blocks that exist at `start`; the newest is exactly that old. 0 gives an API with an empty database. */
  readonly history: number;
  readonly network: Network;
  /** Whether spikes, floods and stuck clusters also come by themselves, one in about 90 minutes. */
  readonly randomEvents: boolean;
  /** Older blocks are forgotten, with their transactions; totals keep counting them. */
  readonly keepBlocks: number;
  /** Accounts and contracts. @default those of the seed */
  readonly accounts?: Accounts;
}

const EXPIRY_SECONDS = 30;
const EVENT_SECONDS = 5400;

/** A living chain. Read it through `ledger` and `mempool`; change it through the methods only. */
export class Chain {
  readonly options: ChainOptions;
  readonly accounts: Accounts;
  readonly ledger: Ledger;
  /** What the chain was before; replicas that lag read it. */
  readonly history: History;
  readonly mempool = new Mempool();
  readonly market: Market;
  readonly #tenure: Tenure;
  readonly #intervals: Random;
  readonly #events: Random;
  readonly #forks: Random;
  #now: number;
  #nextBlockAt: number;
  #txs = 0;
  #sponsored = 0;
  #reorgs = 0;
  #isEmptied = false;

  constructor(options: ChainOptions) {
    const { seed, start, history, network } = options;
    this.options = options;
    this.accounts = options.accounts ?? createAccounts(seed, network);
    this.ledger = new Ledger(options.keepBlocks);
    this.history = new History(options.keepBlocks);
    let tokens = 0;
    const nextToken = () => {
      tokens += 1;
      return tokens;
    };
    const context: TxContext = { random: new Random(`${seed}:market`), accounts: this.accounts, nextToken };
    this.market = new Market(context, { ...context, random: new Random(`${seed}:gaps`) });
    this.#intervals = blockStream(seed);
    this.#events = new Random(`${seed}:events`);
    this.#forks = new Random(`${seed}:forks`);
    const end = Math.floor(start);
    this.#now = end - historySeconds(seed, history);
    this.#tenure = new Tenure(
      seed,
      this.#now,
      Array.from({ length: MINER_COUNT }, (_, index) => this.accounts.unused(-1 - index)),
    );
    this.#nextBlockAt = this.#now + blockInterval(this.#intervals);
    for (const submission of this.market.background(this.#now)) this.#admit(submission);
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

  /** What is going on: the running scenarios, `empty`, or `calm`. */
  get activeScenarios(): readonly string[] {
    if (this.#isEmptied) return ["empty"];
    const kinds = this.market.scenarios.map(({ kind }) => kind);
    return kinds.length > 0 ? kinds : ["calm"];
  }

  /** Lives on until a virtual time (Unix seconds). Does nothing for a time in the past. */
  advanceTo(time: number): void {
    while (this.#now + 1 <= time) {
      this.#now += 1;
      this.#second();
    }
  }

  /** Begins a fee spike, a flood of cheap transfers, or a cluster of stuck transactions. Ends an empty mempool. */
  begin(kind: ScenarioKind, options: ScenarioOptions = {}): void {
    this.#isEmptied = false;
    const scenario = this.market.start(kind, this.#now, options);
    if (kind === "stuck") for (const submission of this.market.cluster(scenario)) this.#admit(submission);
  }

  /** Ends all scenarios and takes stuck transactions out; a backlog drains by itself. */
  calm(): void {
    this.market.scenarios = [];
    this.mempool.drop(({ origin }) => origin === "stuck", this.#now);
    if (!this.#isEmptied) return;
    this.#isEmptied = false;
    for (const submission of this.market.background(this.#now)) this.#admit(submission);
  }

  /** Empties the mempool and keeps it empty until `calm` or `begin`: what arrives is mined or lost at once. */
  empty(): void {
    this.market.scenarios = [];
    this.#isEmptied = true;
    this.mempool.clear(this.#now);
  }

  /** Replaces the newest `depth` blocks by others of the same heights; the very first block always stays. */
  reorg(depth: number): Reorg {
    this.#reorgs += 1;
    const { seed } = this.options;
    const reorg = reorganise(this.ledger, this.#forks, depth, this.#reorgs, { seed, returns: !this.#isEmptied });
    this.#record(reorg.orphaned.length, reorg.replaced);
    for (const tx of reorg.returned) this.mempool.add(tx, this.#now);
    this.mempool.touch(this.#now);
    return reorg;
  }

  #second(): void {
    const now = this.#now;
    if (this.options.randomEvents && this.market.scenarios.length === 0 && this.#events.chance(1 / EVENT_SECONDS)) {
      if (!this.#isEmptied) this.begin(this.#events.pick(["spike", "flood", "stuck"] as const));
    }
    if (!this.#isEmptied) {
      for (const submission of this.market.arrivals(now, 1, this.mempool.size)) this.#admit(submission);
    }
    if (now % EXPIRY_SECONDS === 0) this.mempool.drop(({ expiresAt }) => expiresAt <= now, now);
    if (now >= this.#nextBlockAt) this.#mine();
  }

  #mine(): void {
    const now = this.#now;
    const interval = blockInterval(this.#intervals);
    if (this.#isEmptied) {
      for (const submission of this.market.arrivals(now, interval, 0)) this.#admit({ ...submission, readyAt: now });
    }
    const parent = this.ledger.tip;
    const nonces = new Map<string, number>();
    const protocol = this.#tenure.open(now, parent).map((draft) => {
      const nonce = nonces.get(draft.sender) ?? this.ledger.nonceOf(draft.sender);
      nonces.set(draft.sender, nonce + 1);
      return this.#sign(draft, "protocol", 0, nonce, now, now);
    });
    const { txs, cost, isFull } = select(this.mempool.byFee(), this.#tenure.room(), now, (sender) =>
      this.ledger.nonceOf(sender),
    );
    const { burn, height: tenureHeight } = this.#tenure;
    const plan = { height: this.height + 1, time: now, burn, tenureHeight, txs: [...protocol, ...txs], cost, fork: 0 };
    const block = sealBlock(this.options.seed, plan, parent);
    this.ledger.append(block);
    this.#record(0, [block]);
    this.#tenure.spend(cost);
    if (!isFull) this.market.entryPrice = undefined;
    else if (txs.length > 0) this.market.entryPrice = Math.min(...txs.map(({ fee }) => fee));
    this.mempool.take(txs, now);
    if (this.#isEmptied) this.mempool.clear(now);
    this.#nextBlockAt = now + interval;
  }

  #record(removed: number, added: readonly Block[]): void {
    const oldest = this.ledger.blocks[0]?.height ?? 1;
    this.history.record({ time: this.#now, height: this.height, removed, added }, oldest);
  }

  #admit({ draft, origin, fee, readyAt, expiresAt }: Submission): void {
    const onChain = this.ledger.nonceOf(draft.sender);
    const nonce = Number.isFinite(readyAt) ? this.mempool.nextNonce(draft.sender, onChain) : onChain + 2;
    this.mempool.add(this.#sign(draft, origin, fee, nonce, readyAt, expiresAt), this.#now);
  }

  #sign(draft: UnsignedTx, origin: Origin, fee: number, nonce: number, readyAt: number, expiresAt: number): Tx {
    this.#txs += 1;
    if (draft.sponsor !== null) this.#sponsored += 1;
    const id = digest(this.options.seed, "tx", this.#txs);
    const { type } = draft.payload;
    const sponsorNonce = draft.sponsor === null ? 0 : this.#sponsored - 1;
    const received = { receivedAt: this.#now, receivedHeight: this.height };
    return { ...draft, id, type, origin, fee, nonce, sponsorNonce, ...received, readyAt, expiresAt };
  }
}
