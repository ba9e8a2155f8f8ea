// Lets polls through to servers of the right chain only.
import { ApiError } from "../api/errors.ts";
import type { Incidents } from "../telemetry/incidents.ts";
import { askChain } from "./chain-question.ts";
import type { Identity } from "./identity.ts";
import type { ChainCheck, Upstream } from "./upstream.ts";
import { type Surroundings, type UpstreamLog, within } from "./within.ts";

const MINUTE_MS = 60_000;
/** Time after which a chain that was refused, doubted or not identified is checked again. */
const AGAIN_MS = MINUTE_MS;
// A server without block 1 does not get one.
const SILENT_AGAIN_MS = 60 * MINUTE_MS;

interface Parts extends Surroundings {
  readonly network: string;
  readonly identity: Identity;
  readonly incidents: Pick<Incidents, "hold" | "end">;
  readonly log: UpstreamLog;
}

const HOW_TO_GO_ON =
  "use another name for this network, start once with --reset-state, or set on_new_chain: reset for a devnet";

/** Checks the chain of upstreams, each at most once at a time. */
export class Guard {
  readonly #parts: Parts;
  readonly #checks = new Map<Upstream, Promise<void>>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Resolves when a poll may use the upstream. Costs one request at the first use and after a doubt, otherwise none.
   * @param counts whether the poll feeds counters: those wait until the chain is known, others only for the first check.
   * @throws ApiError `wrong_chain` or `empty`; of a check that failed, what it failed with.
   */
  async admit(upstream: Upstream, counts: boolean): Promise<void> {
    if (this.#isDue(upstream, counts)) await this.check(upstream);
    this.assert(upstream, counts);
  }

  /** Throws as `admit` does, by what is known already. */
  assert({ chain }: Upstream, counts: boolean): void {
    if (chain.kind === "refused") throw new ApiError(chain.reason, "block", chain.message);
    if (chain.kind === "failed" && counts) throw chain.error;
  }

  /** Asks the upstream for its chain now; resolves when `upstream.chain` says what came of it. */
  check(upstream: Upstream): Promise<void> {
    const running = this.#checks.get(upstream);
    if (running !== undefined) return running;
    const check = this.#ask(upstream).finally(() => this.#checks.delete(upstream));
    this.#checks.set(upstream, check);
    return check;
  }

  #isDue({ chain, isDoubted }: Upstream, counts: boolean): boolean {
    if (chain.kind === "unchecked") return true;
    const age = this.#parts.clock.elapsed() - chain.checkedAt;
    if (chain.kind === "failed") return counts || age >= AGAIN_MS;
    if (chain.kind === "silent") return age >= SILENT_AGAIN_MS;
    return (chain.kind === "refused" || isDoubted) && age >= AGAIN_MS;
  }

  async #ask(upstream: Upstream): Promise<void> {
    const { clock } = this.#parts;
    const before = upstream.chain;
    try {
      const answer = await within(this.#parts, 0, (poll) => askChain(upstream.client.forPoll(poll)));
      upstream.chain = this.#judge(upstream, answer);
      this.#say(upstream, before);
      upstream.isDoubted = false;
    } catch (error) {
      // Only an answer can refute what an answer has proved.
      const isProved = before.kind === "right" || before.kind === "refused";
      upstream.chain = { ...(isProved ? before : { kind: "failed", error }), checkedAt: clock.elapsed() };
    }
  }

  #judge(upstream: Upstream, answer: Awaited<ReturnType<typeof askChain>>): ChainCheck {
    const { identity, clock, network } = this.#parts;
    const checkedAt = clock.elapsed();
    if (answer.kind === "silent") return { kind: "silent", checkedAt };
    const since = upstream.chain.kind === "refused" ? upstream.chain.since : clock.now();
    if (answer.kind === "empty") {
      const message = "the API has no block: its database is empty";
      return { kind: "refused", reason: "empty", message, firstBlock: undefined, checkedAt, since };
    }
    const { firstBlock } = answer;
    if (identity.firstBlock === undefined) identity.accept(firstBlock, clock.now());
    if (identity.firstBlock === firstBlock) return { kind: "right", checkedAt };
    const found = `block 1 of the API is ${firstBlock}, that of the chain of network ${network} is ${identity.firstBlock}`;
    const message = `${found}: nothing is polled; ${HOW_TO_GO_ON}`;
    return { kind: "refused", reason: "wrong_chain", message, firstBlock, checkedAt, since };
  }

  // Once for every change: the polls that fail meanwhile have the same cause.
  #say(upstream: Upstream, before: ChainCheck): void {
    const { log, network, incidents } = this.#parts;
    const { name, chain } = upstream;
    const fields = { network, upstream: name };
    if (chain.kind === "silent" && before.kind !== "silent") {
      log.warn(fields, "the API does not have block 1: its chain cannot be checked");
    }
    if (chain.kind === "refused" && (before.kind !== "refused" || before.reason !== chain.reason)) {
      incidents.hold(upstream, network, chain.reason);
      log.error({ ...fields, reason: chain.reason, error: chain.message }, "the upstream is not polled");
    }
    if (chain.kind === "right") incidents.end(upstream);
    if (chain.kind === "right" && before.kind === "refused")
      log.info(fields, "the upstream follows the right chain again");
  }
}
