// Follows the chain: reads what is new, connects it to the known branch, and reads as deep as collectors need.
//
// Servers lag, resync and invent blocks, so one response is not the chain:
// - A tip falls only after a reorganisation: the server no longer reports the lowest replaced block as canonical.
// - No tip is higher than the time allows, and no block is later than the clocks.
// - Blocks that are not connected to the known ones are used only from the right chain, if another operation returns
//   the tip, too. The blocks between are skipped, and what is known below them is forgotten.
// What the budget leaves unread is read by later polls.
import { ApiError, isShortage } from "../api/errors.ts";
import type { StacksApi } from "../api/operation.ts";
import { type Block, blockByHeight, blockList, isOrphaned, readBlock, readBlocks, status } from "./block-source.ts";
import {
  type Branch,
  branchOf,
  type Change,
  checkPace,
  deepened,
  extended,
  forkOf,
  isLinked,
  standing,
  tipOf,
} from "./branch.ts";

/** Where blocks are read. */
export interface Source {
  readonly operation: string;
  /** The newest blocks, ascending and linked. @throws ApiError `empty` or `behind` without any */
  newest(): Promise<readonly Block[]>;
  /** The blocks below linked ones, linked to them; empty if the server has none. */
  below(run: readonly Block[]): Promise<readonly Block[]>;
}

/** Settings and state of one poll. */
export interface FollowOptions {
  readonly catchUp: number;
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
  // What is read, ascending and linked.
  let run: readonly Block[] = [];
  try {
    run = unlinked ?? (await source.newest());
    if (branch === undefined) {
      await confirmTip(api, source, tipOf({ blocks: run }), "");
      return { branch: await readDeep(source, branchOf(run, options.now), options) };
    }
    await checkTip(source, branch, tipOf({ blocks: run }), options);
    while (forkOf(branch, run) === undefined && run.length < Math.max(options.catchUp, options.needed)) {
      const older = await source.below(run);
      if (older.length === 0) break;
      run = [...older, ...run];
    }
    const change = await connected(api, source, branch, run, options);
    return { branch: await readDeep(source, change.branch, options), change };
  } catch (error) {
    if (isShortage(error) && run.length > (unlinked?.length ?? 0)) return { branch, unlinked: run };
    if (unlinked === undefined || isShortage(error)) throw error;
    // The chain has left these blocks.
    return follow(api, source, { branch }, options);
  }
}

/** @throws ApiError `behind` for a tip below the known one, or on a fork that was replaced; `bad_body` if too high */
async function checkTip(source: Source, branch: Branch, tip: Block, options: FollowOptions): Promise<void> {
  checkPace(branch, tip, source.operation, options.blocksPerMinute, options.now);
  const place = standing(branch, tip);
  if (place === undefined) return;
  if (place !== "behind") await options.checkIdentity();
  if (place === "later") return;
  const known = tipOf(branch).height;
  const message =
    tip.height === known
      ? `the block at the tip ${known} was replaced`
      : `the tip is ${tip.height}, ${known - tip.height} blocks below the known tip ${known}`;
  throw new ApiError("behind", source.operation, message);
}

/** The branch with linked blocks. It stays the same if the server does not confirm a reorganisation. */
async function connected(
  api: StacksApi,
  source: Source,
  branch: Branch,
  run: readonly Block[],
  { now, checkIdentity }: FollowOptions,
): Promise<Change> {
  const fork = forkOf(branch, run);
  const change = extended(branch, run, fork, now);
  if (fork === undefined || change.orphaned.length > DEEP_REORG) await checkIdentity();
  if (fork === undefined) {
    const tip = tipOf({ blocks: run });
    await confirmTip(api, source, tip, `, ${tip.height - tipOf(branch).height} blocks above the known tip`);
    return change;
  }
  const [orphan] = change.orphaned;
  const isConfirmed = orphan === undefined || (await isOrphaned(api, orphan));
  return isConfirmed ? change : { branch, fresh: [], orphaned: [], unread: 0 };
}

/** Reads older blocks until as many are known as collectors need, or no request is left: the next poll continues. */
async function readDeep(source: Source, from: Branch, { needed }: FollowOptions): Promise<Branch> {
  let branch = from;
  try {
    while (branch.blocks.length < needed) {
      const older = await source.below(branch.blocks);
      if (older.length === 0) break;
      branch = deepened(branch, older);
    }
  } catch (error) {
    if (!isShortage(error) && !(error instanceof ApiError && error.reason === "behind")) throw error;
  }
  return branch;
}

/** Another operation must return the same block with the same parent. By height, one has reported it already. */
async function confirmTip(api: StacksApi, source: Source, tip: Block, where: string): Promise<void> {
  if (source.operation === blockByHeight.name) return;
  const read = () => readBlock(api, tip.height);
  // Backends behind one address differ by a block or two: if one does not have the block yet, ask once more.
  const found = (await read()) ?? (await read());
  if (found !== undefined && found.hash === tip.hash && found.parentHash === tip.parentHash) return;
  const message = `the tip ${tip.height}${where} is not confirmed by another operation`;
  throw new ApiError("bad_body", source.operation, message);
}

// The server refuses greater ones. Those of older versions, which have no cursors, accept any.
const MAX_OFFSET = 300;

/** The error of a server that has no block, or not the known ones. */
const without = (operation: string, knownTip: number | undefined): ApiError =>
  knownTip === undefined
    ? new ApiError("empty", operation, "the server has no block yet")
    : new ApiError("behind", operation, `the server has no block; the known tip is ${knownTip}`);

/** The list of blocks: one request per poll, and one for each 29 older blocks. */
export function listSource(api: StacksApi, knownTip: number | undefined): Source {
  const operation = blockList.name;
  const linked = (blocks: readonly Block[]) => {
    if (isLinked(blocks)) return blocks;
    throw new ApiError("bad_body", operation, "consecutive blocks of the list are not linked");
  };
  return {
    operation,
    async newest() {
      const blocks = (await readBlocks(api)) ?? [];
      if (blocks.length === 0) throw without(operation, knownTip);
      return linked(blocks);
    },
    async below(run) {
      const oldest = run[0] as Block;
      if (oldest.height <= 1) return [];
      const atCursor = () => readBlocks(api, oldest.indexHash === undefined ? undefined : { cursor: oldest.indexHash });
      // A backend that is behind does not have the block. The next request can reach another one.
      const page = (await atCursor()) ?? (await atCursor());
      if (page === undefined)
        throw new ApiError("behind", operation, `the server has no block ${oldest.hash} any more`);
      const newest = page.at(-1) ?? oldest;
      const offset = newest.height - oldest.height + 1;
      if (offset > MAX_OFFSET) return [];
      const older = newest.hash === oldest.hash ? page : ((await readBlocks(api, { offset })) ?? []);
      return linked([...older.filter(({ height }) => height < oldest.height), oldest]).slice(0, -1);
    },
  };
}

/** Blocks by height, from the tip that the server reports: two requests per poll, and one for each older block. */
export function heightSource(api: StacksApi, knownTip: number | undefined): Source {
  const operation = blockByHeight.name;
  return {
    operation,
    async newest() {
      const tip = (await api.find(status, { path: {} }))?.body.chain_tip?.block_height;
      const block = tip === undefined ? undefined : await readBlock(api, tip);
      if (block === undefined) throw without(operation, knownTip);
      return [block];
    },
    async below(run) {
      const oldest = run[0] as Block;
      if (oldest.height <= 1) return [];
      const older = await readBlock(api, oldest.height - 1);
      if (older === undefined || older.hash === oldest.parentHash) return older === undefined ? [] : [older];
      const message = `block ${oldest.height} does not follow block ${older.height}`;
      throw new ApiError("bad_body", operation, message);
    },
  };
}
