// Blocks by height, where no operation lists them: one request per block. The first poll searches the tip; a search
// that needs more requests than one poll has continues in the next one.
import { ApiError, isShortage } from "../api/errors.ts";
import type { StacksApi } from "../api/operation.ts";
import { isNotOffered } from "../api/replacement.ts";
import { type Block, blockByHeight, readBlock, status } from "./block-source.ts";
import type { FollowOptions, Source } from "./follow.ts";

/** The range in which the tip is searched: `low` has a block (or is 0), `high` has none. */
export interface Search {
  readonly low: number;
  readonly high: number | undefined;
  readonly step: number;
}

const FIRST_STEP = 4096;
const STEP_FACTOR = 16;
const STEPS_PER_POLL = 12;
// After this time without a new block, one height may be missing: look once beyond it.
const STALLED_SECONDS = 600;

/** Where and how heights are read. */
export interface HeightOptions extends Pick<FollowOptions, "catchUp" | "now" | "checkIdentity"> {
  /** The known tip. */
  readonly tip: Block | undefined;
  /** What an earlier poll has searched. */
  readonly search: Search | undefined;
  /** Whether the operation `status` may return the tip. */
  readonly mayUseStatus: boolean;
}

/** Blocks by their height. */
export class HeightSource implements Source {
  readonly operation = blockByHeight.name;
  readonly hasPages = false;
  readonly #api: StacksApi;
  readonly #options: HeightOptions;
  /** The search so far; undefined once the tip is found. */
  search: Search | undefined;

  constructor(api: StacksApi, options: HeightOptions) {
    this.#api = api;
    this.#options = options;
    this.search = options.search;
  }

  async newest(): Promise<readonly Block[] | undefined> {
    const { tip, now, mayUseStatus, checkIdentity } = this.#options;
    if (tip === undefined) return this.#find();
    const above = await this.#above(tip.height + 1);
    if (above.length > 0) return above;
    const same = await readBlock(this.#api, tip.height);
    const isStalled = tip.time !== undefined && now / 1000 - tip.time > STALLED_SECONDS;
    const beyond = same?.hash === tip.hash && isStalled ? await readBlock(this.#api, tip.height + 2) : undefined;
    const newest = beyond ?? same ?? (mayUseStatus ? await this.#atStatus() : undefined);
    if (newest !== undefined) return [newest];
    await checkIdentity();
    throw new ApiError("behind", this.operation, `the server does not have the known tip ${tip.height}`);
  }

  async below([oldest]: readonly Block[]): Promise<readonly Block[]> {
    if (oldest === undefined || oldest.height <= 1) return [];
    const older = await readBlock(this.#api, oldest.height - 1);
    if (older === undefined || older.hash === oldest.parentHash) return older === undefined ? [] : [older];
    const message = `block ${oldest.height} does not follow block ${older.height}`;
    throw new ApiError("bad_body", this.operation, message);
  }

  /** Linked blocks from a height on, as many as one poll may read. */
  async #above(from: number): Promise<readonly Block[]> {
    const blocks: Block[] = [];
    while (blocks.length < this.#options.catchUp) {
      try {
        const next = await readBlock(this.#api, from + blocks.length);
        // Another block has replaced its parent since that was read: the next poll sees it.
        if (next === undefined || (blocks.length > 0 && next.parentHash !== blocks.at(-1)?.hash)) break;
        blocks.push(next);
      } catch (error) {
        if (blocks.length === 0 || !isShortage(error)) throw error;
        break;
      }
    }
    return blocks;
  }

  async #atStatus(): Promise<Block | undefined> {
    const height = await this.#tipHeight();
    return height === undefined ? undefined : readBlock(this.#api, height);
  }

  async #tipHeight(): Promise<number | undefined> {
    try {
      return (await this.#api.find(status, { path: {} }))?.body.chain_tip?.block_height;
    } catch (error) {
      if (isNotOffered(error, status)) return undefined;
      throw error;
    }
  }

  /** The tip; undefined if its search continues in the next poll. */
  async #find(): Promise<readonly Block[] | undefined> {
    const height = this.#options.mayUseStatus ? await this.#tipHeight() : undefined;
    let { low, high, step } = this.search ?? { low: 0, high: undefined, step: FIRST_STEP };
    if (height !== undefined && height > low) [low, high] = [height - 1, height + 1];
    const isFirst = low === 0 && high === undefined;
    if (isFirst && (await readBlock(this.#api, 1)) === undefined)
      throw new ApiError("empty", this.operation, "the server has no block yet");
    let tip: Block | undefined;
    try {
      for (let steps = 0; steps < STEPS_PER_POLL && high !== low + 1; steps += 1) {
        const at = high === undefined ? low + step : Math.floor((low + high) / 2);
        const found = await readBlock(this.#api, at);
        if (found === undefined) high = at;
        else [low, tip, step] = [at, found, step * STEP_FACTOR];
        this.search = { low, high, step };
      }
    } catch (error) {
      if (this.search === this.#options.search || !isShortage(error)) throw error;
      return undefined;
    }
    if (high !== low + 1) return undefined;
    tip ??= await readBlock(this.#api, low);
    this.search = undefined;
    if (tip === undefined) throw new ApiError("behind", this.operation, `the server has no block ${low} any more`);
    return [tip];
  }
}
