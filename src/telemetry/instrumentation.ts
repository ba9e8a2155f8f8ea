// Counts polls and requests: every event that becomes a counter or a histogram.
import { REASONS, type Reason } from "../api/errors.ts";
import type { Observer } from "../api/observer.ts";
import { Instruments } from "./instruments.ts";
import * as metrics from "./self-metrics.ts";

/** Counts polls and requests. Every known label set starts at 0, so that `rate()` sees the first increase. */
export class Instrumentation {
  readonly instruments = new Instruments();
  readonly #runs = this.instruments.counter(metrics.runs);
  readonly #failures = this.instruments.counter(metrics.failures);
  readonly #duration = this.instruments.histogram(metrics.duration);
  readonly #hints = this.instruments.counter(metrics.hints);
  readonly #requests = this.instruments.counter(metrics.requests);
  readonly #requestDuration = this.instruments.histogram(metrics.requestDuration);
  readonly #receivedBytes = this.instruments.counter(metrics.receivedBytes);
  readonly #retries = this.instruments.counter(metrics.retries);
  readonly #switches = this.instruments.counter(metrics.upstreamSwitches);
  readonly #disagreements = this.instruments.counter(metrics.upstreamDisagreements);
  readonly #pauses = this.instruments.counter(metrics.pauses);
  readonly #deprecations = this.instruments.counter(metrics.deprecations);
  readonly #drift = this.instruments.counter(metrics.drift);
  readonly #httpRefused = this.instruments.counter(metrics.httpRefused);

  constructor() {
    for (const reason of Object.keys(metrics.REFUSALS)) this.#httpRefused.add({ reason }, 0);
  }

  /** A request to the exporter that was refused or cut off. */
  httpRefused(reason: metrics.Refusal): void {
    this.#httpRefused.add({ reason });
  }

  /** Creates the series of a collector. */
  expectCollector(network: string, collector: string): void {
    for (const outcome of Object.keys(metrics.OUTCOMES)) this.#runs.add({ network, collector, outcome }, 0);
    for (const reason of Object.keys(REASONS)) this.#failures.add({ network, collector, reason }, 0);
  }

  /** Creates the series of a network's operations. */
  expectNetwork(network: string, operations: readonly string[]): void {
    this.#pauses.add({ network }, 0);
    for (const operation of operations) {
      this.#requests.add({ network, operation, code: "200" }, 0);
      this.#receivedBytes.add({ network, operation }, 0);
      this.#deprecations.add({ network, operation }, 0);
    }
  }

  /** Creates the series of a network's upstreams. */
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

  /** A target to poll early. */
  hint(network: string, collector: string, cause: string, count = 1): void {
    this.#hints.add({ network, collector, cause }, count);
  }

  /** Creates the series of a round robin. */
  expectHints(network: string, collector: string): void {
    for (const cause of Object.keys(metrics.CAUSES)) this.hint(network, collector, cause, 0);
  }

  /** A poll that ended; skipped ones have no duration. */
  run(network: string, collector: string, outcome: metrics.Outcome, reason: Reason | undefined, seconds: number): void {
    this.#runs.add({ network, collector, outcome });
    if (reason !== undefined) this.#failures.add({ network, collector, reason });
    if (outcome !== "skipped_overlap") this.#duration.observe({ network, collector }, seconds);
  }

  /** Counts the events of an API client. */
  observerOf(network: string, onRequest: () => void): Observer {
    return {
      onRequest: ({ operation, code, durationSeconds, bytes }) => {
        this.#requests.add({ network, operation, code });
        this.#requestDuration.observe({ network, operation }, durationSeconds);
        this.#receivedBytes.add({ network, operation }, bytes);
        onRequest();
      },
      onRetry: ({ operation, reason }) => this.#retries.add({ network, operation, reason }),
      onPause: () => this.#pauses.add({ network }),
      onDeprecation: ({ operation }) => this.#deprecations.add({ network, operation }),
      onDrift: ({ operation, field, kind }) => this.#drift.add({ network, operation, field, kind }),
    };
  }
}
