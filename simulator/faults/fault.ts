// Everything that can go wrong with an answer, as data.

/** How an error body is spelled. Gateways send all of these. */
export type BodyForm = "json" | "html" | "text" | "empty";

/** One way of failing. Seconds are real seconds. */
export type Fault =
  /** Any status with a body. */
  | {
      readonly kind: "status";
      readonly status: number;
      readonly body?: BodyForm;
      readonly headers?: Record<string, string>;
    }
  /** 429. `retryAfter` in seconds, left out when undefined; as an HTTP date if asked; rate headers if asked. */
  | {
      readonly kind: "429";
      readonly retryAfter?: number;
      readonly asDate?: boolean;
      readonly withHeaders?: boolean;
      readonly body?: BodyForm;
    }
  /** 500 in the shape of the server. */
  | { readonly kind: "500" }
  /** 503 with the body of a dead database, for the path alone. */
  | { readonly kind: "503" }
  /** 410 for the path, as if it alone were switched off. */
  | { readonly kind: "410" }
  /** The operator's switch: all deprecated operations answer 410, the others work. */
  | { readonly kind: "retired" }
  /** The database is down: 503, and `/extended` without a chain tip. */
  | { readonly kind: "db-down" }
  /** The 404 of an unknown route. */
  | { readonly kind: "404" }
  /** 302 to this URL. @default to a host that does not exist, or to the same URL for `same-host` */
  | { readonly kind: "redirect"; readonly to: "other-host" | "same-host"; readonly location?: string }
  /** 200 with a body that is not JSON. */
  | { readonly kind: "garbage"; readonly form?: "text" | "truncated" | "html" | "empty" }
  /** 200 with JSON of another shape. */
  | { readonly kind: "wrong-shape"; readonly form?: "other" | "list" | "nulls" | "strings" | "missing" }
  /** 200 and JSON that does not end before so many MiB. @default 32 */
  | { readonly kind: "huge"; readonly mebibytes?: number }
  /** Nothing for so long, then the answer. */
  | { readonly kind: "slow-headers"; readonly seconds: number }
  /** Headers at once, then `bytes` every `seconds`; `stalls` sends the first bytes and then nothing ever. */
  | { readonly kind: "slow-body"; readonly seconds?: number; readonly bytes?: number; readonly stalls?: boolean }
  /** The full content-length, this part of the body (0 to 1, @default 0.5), and the socket is destroyed. */
  | { readonly kind: "cut"; readonly part?: number }
  /** The socket is destroyed before any byte. */
  | { readonly kind: "reset" };

/** Where and how often. */
export interface FaultScope {
  /**
   * Path (without query) or template of the requests it hits; `*` stands for anything. All requests when left out.
   * E.g. `/extended/v2/*`, `/extended/v1/block/{hash}`.
   */
  readonly path?: string;
  /** Number of requests it hits; until cleared when left out. */
  readonly count?: number;
}

/** A fault with its scope. */
export type FaultRule = Fault & FaultScope;
