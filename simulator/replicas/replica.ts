// The replicas behind one address, as data.

/** A replica. All its responses are from the same view of the chain. */
export type ReplicaSpec =
  /** Up to date. With `receipts`, its receipt times are up to this number of seconds before those of the others. */
  | { readonly kind: "newest"; readonly receipts?: number }
  /**
   * Behind by `blocks`, or by `seconds` of virtual time. It shows the chain as it was, including blocks that a
   * reorganisation has replaced since. Empty if the distance exceeds the length of the chain.
   */
  | { readonly kind: "lag"; readonly blocks: number }
  | { readonly kind: "lag"; readonly seconds: number }
  /** Stopped: shows the chain as it was `blocks` (default 0) before `use`, and never changes. */
  | { readonly kind: "stuck"; readonly blocks?: number }
  /**
   * Syncing from block 1. It has `from` blocks (default 1) at the first request, then `perRequest` more for each
   * request that it responds (default 1), or `perSecond` more for each virtual second. At the tip it is up to date.
   * Until then its balances and nonces are old ones.
   */
  | { readonly kind: "resync"; readonly from?: number; readonly perRequest?: number; readonly perSecond?: number }
  /**
   * Reports a tip that is `blocks` too high, up to 2^52. `made-up` (default): returns blocks that do not exist, in
   * lists and by height or hash; they link to each other and not to the chain. `height`: only the height in `/extended`
   * and the total of the block list are wrong; all blocks are real.
   */
  | { readonly kind: "ahead"; readonly blocks: number; readonly claims?: "made-up" | "height" }
  /**
   * Another chain with the same accounts and contracts, but another block 1. It has `blocks` blocks when it is first
   * used (default: the height of the chain) and grows at a similar rate. The same `seed` (default: other) and `blocks`
   * give the same chain.
   */
  | { readonly kind: "other"; readonly seed?: string; readonly blocks?: number }
  /** An empty database that never gets a block. */
  | { readonly kind: "empty" };

/** How replicas share requests, and for how long. */
export interface Sharing {
  /** Round robin, or at random with a fixed seed. @default turns */
  readonly order?: "turns" | "random";
  /** Consecutive requests that one replica serves. @default 1 */
  readonly every?: number;
  /** Number of requests after which only the newest replica serves. @default unlimited */
  readonly requests?: number;
  /** Virtual seconds after which only the newest replica serves. @default unlimited */
  readonly seconds?: number;
  /**
   * Path (without query) or template of the requests that they serve; `*` matches anything. The newest replica serves
   * all other requests. E.g. `/extended`, `/extended/v2/blocks/{height_or_hash}`. @default all requests
   */
  readonly path?: string;
}
