// One server of a network: its client, its health, its chain and its tip.
import type { Client } from "../api/client.ts";
import type { Reason } from "../api/errors.ts";
import { Health, type HealthRules } from "./health.ts";

/** What is known of the chain that a server follows. `checkedAt` is milliseconds of `Clock.elapsed`. */
export type ChainCheck =
  | { readonly kind: "unchecked" }
  | { readonly kind: "right" | "silent"; readonly checkedAt: number }
  | { readonly kind: "failed"; readonly checkedAt: number; readonly error: unknown }
  | {
      /** Another chain than that of the state, or none. */
      readonly kind: "refused";
      readonly checkedAt: number;
      readonly reason: Extract<Reason, "wrong_chain" | "empty">;
      readonly message: string;
      /** Hash of its block 1; undefined when it has none. */
      readonly firstBlock: string | undefined;
      /** Unix time, milliseconds. */
      readonly since: number;
    };

/** A server of a network. */
export class Upstream {
  readonly name: string;
  /** Scheme, host and port: no path, because some providers put a token into it. */
  readonly origin: string;
  readonly client: Client;
  readonly health: Health;
  chain: ChainCheck = { kind: "unchecked" };
  /** Something made its chain doubtful since it was last checked. */
  isDoubted = false;
  /** Its tip as it was last told; `at` is milliseconds of `Clock.elapsed`. */
  tip: { readonly height: number; readonly at: number } | undefined;

  constructor(name: string, url: string, client: Client, rules: HealthRules) {
    this.name = name;
    this.origin = new URL(url).origin;
    this.client = client;
    this.health = new Health(rules);
  }
}
