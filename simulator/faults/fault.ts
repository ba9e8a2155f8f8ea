// Faults as data.

/** The form of an error body. Gateways send all of these. */
export type BodyForm = "json" | "html" | "text" | "empty";

/** One fault. Seconds are real seconds. */
export type Fault =
  /** Any status with a body. */
  | { readonly kind: "status"; readonly status: number; readonly body?: BodyForm }
  /** 429. `retryAfter` in seconds, @default none; `asDate`: as an HTTP date; `withHeaders`: with rate limit headers. */
  | {
      readonly kind: "429";
      readonly retryAfter?: number;
      readonly asDate?: boolean;
      readonly withHeaders?: boolean;
      readonly body?: BodyForm;
    }
  /** 500 as the server sends it; with `tx` only in place of a response that contains this transaction id. */
  | { readonly kind: "500"; readonly tx?: string }
  /** 503 of a dead database, for the path alone. */
  | { readonly kind: "503" }
  /** 410 for the path alone. */
  | { readonly kind: "410" }
  /** All deprecated operations are switched off (410); the others work. */
  | { readonly kind: "retired" }
  /** The database is down: 503, and `/extended` without a chain tip. */
  | { readonly kind: "db-down" }
  /** 404 of an unknown route. With a path: an older server without that operation, e.g. `/extended/v3/*`. */
  | { readonly kind: "404" }
  /** 302 to this URL. @default a host that does not exist, or the same URL for `same-host` */
  | { readonly kind: "redirect"; readonly to: "other-host" | "same-host"; readonly location?: string }
  /** 200 with a body that is not JSON. */
  | { readonly kind: "garbage"; readonly form?: "text" | "truncated" | "html" | "empty" }
  /**
   * 200 with JSON of another shape: an unrelated object, a list, every leaf null, every number a string, or the first
   * key of every object missing.
   */
  | { readonly kind: "wrong-shape"; readonly form?: "other" | "list" | "nulls" | "strings" | "missing" }
  /** A list with up to this number of rows that no block has, above the newest rows of real blocks. @default 1 */
  | { readonly kind: "invent"; readonly rows?: number }
  /** A list without those rows whose id is divisible by this number. @default 2 */
  | { readonly kind: "omit"; readonly every?: number }
  /** 200 with JSON of more than this number of MiB. @default 32 */
  | { readonly kind: "huge"; readonly mebibytes?: number }
  /** The response after a delay. */
  | { readonly kind: "slow-headers"; readonly seconds: number }
  /** Headers at once, then `bytes` every `seconds`; `stalls` sends only the first bytes. */
  | { readonly kind: "slow-body"; readonly seconds?: number; readonly bytes?: number; readonly stalls?: boolean }
  /** The full content-length, this part of the body (0 to 1, @default 0.5), then the socket is destroyed. */
  | { readonly kind: "cut"; readonly part?: number }
  /** The socket is destroyed before any byte. */
  | { readonly kind: "reset" };

/** A fault with its scope. */
export type FaultRule = Fault & {
  /**
   * Path (without query) or template of the requests; `*` matches anything. E.g. `/extended/v2/*`,
   * `/extended/v1/block/{hash}`. @default all requests
   */
  readonly path?: string;
  /** Number of requests. @default unlimited */
  readonly count?: number;
};
