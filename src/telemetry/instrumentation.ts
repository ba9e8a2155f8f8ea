// The instruments of the exporter's own work, and the callbacks that feed them: one place where an event becomes a number.
import { REASONS, type Reason } from "../api/errors.ts";
import type { Drift } from "../api/operation.ts";
import { Instruments } from "./instruments.ts";
import * as own from "./self-metrics.ts";

/** Counts the work of polls and requests. Every known label set begins at 0, so that `rate()` sees the first increase. */
export class Work {
  readonly instruments = new Instruments();
  readonly #onRequest: () => void;
  readonly #runs = this.instruments.counter(own.runs);
  readonly #failures = this.instruments.counter(own.failures);
  readonly #duration = this.instruments.histogram(own.duration);
  readonly #hints = this.instruments.counter(own.hints);
  readonly #requests = this.instruments.counter(own.requests);
  readonly #requestDuration = this.instruments.histogram(own.requestDuration);
  readonly #receivedBytes = this.instruments.counter(own.receivedBytes);
  readonly #retries = this.instruments.counter(own.retries);
  readonly #switches = this.instruments.counter(own.upstreamSwitches);
  readonly #disagreements = this.instruments.counter(own.upstreamDisagreements);
  readonly #pauses = this.instruments.counter(own.pauses);
  readonly #deprecations = this.instruments.counter(own.deprecations);
  readonly #drift = this.instruments.counter(own.drift);
  readonly #httpRefused = this.instruments.counter(own.httpRefused);

  /** @param onRequest told of every request that ended. */
  constructor(onRequest: () => void = () => undefined) {
    this.#onRequest = onRequest;
    for (const reason of Object.keys(own.REFUSALS)) this.#httpRefused.add({ reason }, 0);
  }

  /** A request to the exporter that was refused or cut off. */
  httpRefused(reason: own.Refusal): void {
    this.#httpRefused.add({ reason });
  }

  /** Makes the series of a collector exist. */
  expectCollector(network: string, collector: string): void {
    for (const outcome of Object.keys(own.OUTCOMES)) this.#runs.add({ network, collector, outcome }, 0);
    for (const reason of Object.keys(REASONS)) this.#failures.add({ network, collector, reason }, 0);
  }

  /** Makes the series of a network's operations exist. */
  expectNetwork(network: string, operations: readonly string[]): void {
    this.#pauses.add({ network }, 0);
    for (const operation of operations) {
      this.#requests.add({ network, operation, code: "200" }, 0);
      this.#receivedBytes.add({ network, operation }, 0);
      this.#deprecations.add({ network, operation }, 0);
    }
  }

  /** Makes the series of a network's upstreams exist. */
  expectUpstreams(network: string, upstreams: readonly string[]): void {
    for (const upstream of upstreams) {
      this.#switches.add({ network, upstream }, 0);
      this.#disagreements.add({ network, upstream }, 0);
    }
  }

  /** An upstream that became the active one. */
  switched(network: string, upstream: string): void {
    this.#switches.add({ network, upstream });
  }

  /** An upstream that has another block than the active one at a settled height. */
  disagreed(network: string, upstream: string): void {
    this.#disagreements.add({ network, upstream });
  }

  /** A target that is to be polled before its turn. */
  hint(network: string, collector: string, cause: string, count = 1): void {
    this.#hints.add({ network, collector, cause }, count);
  }

  /** Makes the hints of a collector with many targets exist. */
  expectHints(network: string, collector: string): void {
    for (const cause of Object.keys(own.CAUSES)) this.hint(network, collector, cause, 0);
  }

  /** A poll that ended; skipped ones have no duration. */
  run(network: string, collector: string, outcome: own.Outcome, reason: Reason | undefined, seconds: number): void {
    this.#runs.add({ network, collector, outcome });
    if (reason !== undefined) this.#failures.add({ network, collector, reason });
    if (outcome !== "skipped_overlap") this.#duration.observe({ network, collector }, seconds);
  }

  /** What the API client of a network reports. */
  observerOf(network: string) {
    return {
      onRequest: (request: { operation: string; code: string; durationSeconds: number; bytes: number }) => {
        const { operation, code, durationSeconds, bytes } = request;
        this.#requests.add({ network, operation, code });
        this.#requestDuration.observe({ network, operation }, durationSeconds);
        this.#receivedBytes.add({ network, operation }, bytes);
        this.#onRequest();
      },
      onRetry: ({ operation, reason }: { operation: string; reason: string }) =>
        this.#retries.add({ network, operation, reason }),
      onPause: () => this.#pauses.add({ network }),
      onDeprecation: ({ operation }: { operation: string }) => this.#deprecations.add({ network, operation }),
      onDrift: ({ operation, field, kind }: { operation: string; field: string; kind: Drift }) =>
        this.#drift.add({ network, operation, field, kind }),
    };
  }
}
