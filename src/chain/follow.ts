// Follows the chain: reads what is new, connects it to the known branch, and reads as deep as collectors need.
//
// Servers lag, resync and lie, so one response is not the chain. A tip falls only after a confirmed reorganisation, no
// tip is higher than the time allows, and blocks that are not connected are used when one of the known ones is still
// on the chain of the server. What the budget leaves unread is read by later polls.
import { ApiError, isShortage } from "../api/errors.ts";
import type { StacksApi } from "../api/operation.ts";
import { type Block, block, isOrphaned, readBlock } from "./block-source.ts";
import {
  type Branch,
  type Change,
  checkPace,
  deepened,
  extended,
  firstBranch,
  forkOf,
  linkedBlocks,
  MAX_BLOCKS,
  standing,
  tipOf,
} from "./branch.ts";

/** Where blocks are read. */
export interface Source {
  /** Name of the operation. */
  readonly operation: string;
  /** Whether a request returns many blocks. */
  readonly hasPages: boolean;
  /** The newest blocks, ascending and linked; undefined if the tip is not found yet. @throws ApiError without any */
  newest(): Promise<readonly Block[] | undefined>;
  /** The blocks below linked ones, linked to them; empty if the server has none. */
  below(run: readonly Block[]): Promise<readonly Block[]>;
}

/** Settings and state of one poll. */
export interface FollowOptions {
  /** Maximum number of blocks to read. */
  readonly catchUp: number;
  /** Highest rate of blocks. */
  readonly blocksPerMinute: number;
  /** Number of newest blocks that collectors need. */
  readonly needed: number;
  /** Unix time, milliseconds. */
  readonly now: number;
  /** Checks that the server follows the right chain. @throws ApiError `wrong_chain` */
  readonly checkIdentity: () => Promise<void>;
}

/** What is kept between polls. Plain data. */
export interface Followed {
  readonly branch: Branch | undefined;
  /** Newer blocks that are not connected to the branch yet. */
  readonly unlinked?: readonly Block[] | undefined;
}

// A reorganisation of more blocks can mean that the server follows another chain.
const DEEP_REORG = 20;

/**
 * Follows the chain by one poll.
 * @throws ApiError `behind` if the tip of the server is below the known one, `bad_body` if its blocks cannot be true
 */
export async function follow(
  api: StacksApi,
  source: Source,
  before: Followed,
  options: FollowOptions,
): Promise<Followed & { readonly change?: Change | undefined }> {
  const { branch, unlinked } = before;
  const follower = new Follower(api, source, options);
  if (branch === undefined) return follower.first();
  try {
    const run = unlinked ?? (await source.newest());
    if (run === undefined) return { branch };
    const change = await follower.connect(branch, run);
    return { branch: await follower.deepen(change.branch), change };
  } catch (error) {
    const { run } = follower;
    if (isShortage(error) && run.length > (unlinked?.length ?? 0)) return { branch, unlinked: run };
    if (unlinked === undefined || isShortage(error)) throw error;
    // The chain has left these blocks.
    return follow(api, source, { branch }, options);
  }
}

class Follower {
  readonly #api: StacksApi;
  readonly #source: Source;
  readonly #options: FollowOptions;
  /** What is read, ascending and linked. */
  run: readonly Block[] = [];

  constructor(api: StacksApi, source: Source, options: FollowOptions) {
    this.#api = api;
    this.#source = source;
    this.#options = options;
  }

  async first(): Promise<Followed> {
    const run = await this.#source.newest();
    if (run === undefined) return { branch: undefined };
    const branch = firstBranch(run, this.#options.now);
    if (this.#source.hasPages) await this.#confirmTip(tipOf(branch), "");
    this.run = run;
    const { burnHeight } = tipOf(branch);
    // The whole tenure, so that its cost is known.
    const isTenureOpen = ({ blocks }: Branch) => this.#source.hasPages && blocks[0]?.burnHeight === burnHeight;
    return { branch: await this.deepen(branch, isTenureOpen) };
  }

  /** Connects the newest blocks to the branch. It stays the same if the server does not confirm a reorganisation. */
  async connect(branch: Branch, newest: readonly Block[]): Promise<Change> {
    const { now, catchUp, needed, checkIdentity, blocksPerMinute } = this.#options;
    const { operation } = this.#source;
    const tip = tipOf({ blocks: newest });
    checkPace(branch, tip, operation, blocksPerMinute, now);
    await this.#checkTip(branch, tip);
    this.run = newest;
    let fork = forkOf(branch, this.run);
    while (fork === undefined && this.run.length < Math.max(catchUp, needed)) {
      const older = await this.#source.below(this.run);
      if (older.length === 0) break;
      this.run = [...older, ...this.run];
      fork = forkOf(branch, this.run);
    }
    const isConnected = fork !== undefined;
    fork ??= await this.#search(branch);
    const change = extended(branch, this.run, fork, now);
    if (isConnected && change.orphaned.length > DEEP_REORG) await checkIdentity();
    const [orphan] = change.orphaned;
    const isConfirmed = !isConnected || orphan === undefined || (await isOrphaned(this.#api, orphan));
    return isConfirmed ? change : { branch, fresh: [], orphaned: [], unread: 0 };
  }

  /** Reads older blocks until as many are linked as collectors need, or no request is left. */
  async deepen(from: Branch, needsMore: (branch: Branch) => boolean = () => false): Promise<Branch> {
    const { needed, catchUp } = this.#options;
    let branch = from;
    for (let left = Math.max(needed, catchUp) - this.run.length; left > 0; ) {
      const linked = linkedBlocks(branch);
      const isDeep = linked.length >= Math.min(needed, MAX_BLOCKS) && !needsMore(branch);
      if (isDeep) break;
      try {
        const older = await this.#source.below(linked);
        if (older.length === 0) break;
        left -= older.length;
        branch = deepened(branch, older);
      } catch (error) {
        // The next poll continues. What is above is valid.
        if (isShortage(error) || (error instanceof ApiError && error.reason === "behind")) break;
        throw error;
      }
    }
    return branch;
  }

  /**
   * The height of the newest known block that the server still has: blocks between it and the read ones are skipped.
   * @throws ApiError `bad_body` if the tip is not confirmed; the error of `checkIdentity`
   */
  async #search({ blocks }: Branch): Promise<number> {
    await this.#options.checkIdentity();
    const [known, tip] = [tipOf({ blocks }), tipOf({ blocks: this.run })];
    await this.#confirmTip(tip, `, ${tip.height - known.height} blocks above the known tip`);
    const [first] = this.run;
    const below = blocks.filter(({ height }) => height < (first?.height ?? 0));
    let [low, high] = [-1, below.length];
    // Usually that is the newest one.
    for (let at = high - 1; high - low > 1; at = Math.floor((low + high) / 2)) {
      if (await isOrphaned(this.#api, below[at] as Block)) high = at;
      else low = at;
    }
    return below[low]?.height ?? Math.min(blocks[0]?.height ?? 0, first?.height ?? 0) - 1;
  }

  /** @throws ApiError `behind` for a tip below the known one, or on a fork that was replaced */
  async #checkTip(branch: Branch, tip: Block): Promise<void> {
    const place = standing(branch, tip);
    if (place === undefined) return;
    if (place !== "behind") await this.#options.checkIdentity();
    if (place === "later") return;
    const known = tipOf(branch).height;
    const message =
      tip.height === known
        ? `the block at the tip ${known} was replaced`
        : `the tip is ${tip.height}, ${known - tip.height} blocks below the known tip ${known}`;
    throw new ApiError("behind", this.#source.operation, message);
  }

  /** Another operation must return the same block with the same parent. */
  async #confirmTip(tip: Block, where: string): Promise<void> {
    const read = () => readBlock(this.#api, tip.height, block);
    // Backends behind one address differ by a block or two: if one does not have the block yet, ask once more.
    const found = (await read()) ?? (await read());
    if (found !== undefined && found.hash === tip.hash && found.parentHash === tip.parentHash) return;
    const message = `the tip ${tip.height}${where} is not confirmed by another operation`;
    throw new ApiError("bad_body", this.#source.operation, message);
  }
}
