// The client of one API server: the path of a request, from a poll to its decoded response. Every try takes its own
// request from the budget.
import { Budget, type BudgetLimits, type BudgetRecord } from "./budget.ts";
import { isTimeout, systemClock, withTimeout } from "./clock.ts";
import { decode } from "./decode.ts";
import { ApiError } from "./errors.ts";
import type { Observer } from "./observer.ts";
import type { ApiResponse, Operation, Parameters, StacksApi } from "./operation.ts";
import { Outages, SERVER_FAULTS } from "./outages.ts";
import { type QueuedRequest, Refusal, RequestQueue } from "./queue.ts";
import { Redactor, type Secret } from "./redact.ts";
import { errorOf, httpDate, isUsableEtag, retryAfter, validatorOf } from "./response.ts";
import { Transport, type WireFailure, type WireResponse } from "./transport.ts";
import { requestUrl } from "./url.ts";

/** Settings that most clients share. */
const DEFAULTS = {
  /** Bytes of a body, compressed as well as decompressed. */
  maxBodyBytes: 16 * 2 ** 20,
  /** Timeout of one try; a request can have several tries before its deadline. */
  tryTimeoutMs: 15_000,
  /** Tries after the first. */
  retries: 2,
  connections: 8,
  /** Timeout of making a connection. */
  connectTimeoutMs: 5_000,
  /** Longest pause after a 429. */
  longestPauseMs: 15 * 60_000,
  /** Longest time between two probes of a server that is down. */
  longestProbeMs: 60_000,
  clock: systemClock,
  /** For jitter: a number of [0, 1). */
  random: Math.random,
  observer: {} as Observer,
};

/** Settings of a client. */
export interface ClientOptions extends Partial<typeof DEFAULTS> {
  /** Absolute; its path is a prefix of every request. */
  readonly baseUrl: string;
  readonly userAgent: string;
  readonly budget: BudgetLimits;
  /** Use of the budget by earlier processes and clients. @default none */
  readonly used?: BudgetRecord | undefined;
  /** Saves the use of the budget before it grows; must not throw. @default it is not saved */
  readonly save?: ((record: BudgetRecord) => void) | undefined;
  /** API key, sent with every request and never shown. */
  readonly key?: Secret | undefined;
  /** Masks the secrets of all networks in text from servers. @default masks the key, and the tokens of the base URL */
  readonly redactor?: Redactor;
}

/** Properties of a poll for a client. */
export interface PollOptions {
  /** 0 is admitted first. */
  readonly priority: number;
  /** Aborted at the deadline (with a `TimeoutError`) and at shutdown (with anything else). */
  readonly signal: AbortSignal;
  /** Time of the abort of the signal, Unix time in milliseconds: requests that cannot end before it fail at once. */
  readonly deadline?: number | undefined;
  /** Called with the height of the chain tip, for each response that holds it. */
  readonly onTip?: ((height: number) => void) | undefined;
}

/** One request of a poll; conditional with `etag`. */
interface Request extends QueuedRequest {
  readonly operation: Operation;
  readonly url: URL;
  /** Maximum number of rows in the response, if the request names one. */
  readonly limit: number | undefined;
  readonly etag: string | undefined;
}

/** A response that may be confirmed by a 304. */
interface Cached {
  readonly url: string;
  readonly etag: string;
  readonly body: unknown;
}

/** Where a request gets its validator: from the cache, or from the caller, who keeps it. */
type Validator = "cache" | { readonly etag: string | undefined };

// Of a 429 that names no time: Hiro counts requests in minutes.
const USUAL_PAUSE_MS = 60_000;
const LONGEST_BACKOFF_MS = 1_000;

/** The client of one API server. It sends nothing by itself. */
export class Client {
  readonly #options: ClientOptions & typeof DEFAULTS;
  readonly #base: URL;
  readonly #redactor: Redactor;
  readonly #budget: Budget;
  readonly #queue: RequestQueue;
  readonly #transport: Transport;
  readonly #outages: Outages;
  /** The last response of each operation: the server gives the same ETag to unrelated URLs, and even to errors. */
  readonly #cache = new Map<Operation, Cached>();
  readonly #closed = new AbortController();

  constructor(options: ClientOptions) {
    this.#options = { ...DEFAULTS, ...options };
    const { clock, connections, connectTimeoutMs, longestPauseMs, longestProbeMs } = this.#options;
    const { key, budget, used, save, observer } = this.#options;
    this.#base = new URL(options.baseUrl);
    this.#redactor = options.redactor ?? new Redactor(key === undefined ? [] : [key], [this.#base]);
    this.#budget = new Budget({ ...budget, longestPauseMs }, clock, used, save);
    this.#queue = new RequestQueue(this.#budget, clock, connections);
    this.#transport = new Transport(connections, connectTimeoutMs);
    this.#outages = new Outages(clock, longestProbeMs, (outage) => observer.onOutage?.(outage));
  }

  /** The API for one poll. */
  forPoll({ priority, signal, deadline = Number.POSITIVE_INFINITY, onTip }: PollOptions): StacksApi {
    const poll = { priority, deadline, signal: AbortSignal.any([signal, this.#closed.signal]) };
    const get = async <Path extends string, Body>(
      operation: Operation<Path, Body>,
      parameters: Parameters<Path>,
      validator: Validator,
    ): Promise<ApiResponse<Body>> => {
      // The body is decoded by the schema of this operation, now or when it was cached.
      const response = (await this.#get(poll, operation, parameters, validator)) as ApiResponse<Body>;
      // Without a body, nothing has changed since the response that the caller keeps.
      const height = response.body && operation.tipHeight?.(response.body, parameters.query ?? {});
      if (typeof height === "number") onTip?.(height);
      return response;
    };
    return {
      get: (operation, parameters) => get(operation, parameters, "cache"),
      getWhole: (operation, parameters) => get(operation, parameters, { etag: undefined }),
      getIfChanged: async (operation, parameters, etag) => {
        const response = await get(operation, parameters, { etag });
        return response.changed ? response : undefined;
      },
      find: (operation, parameters) =>
        get(operation, parameters, "cache").catch((error: unknown) => {
          if (error instanceof ApiError && error.reason === "not_found" && !error.routeMissing) return undefined;
          throw error;
        }),
      room: () => this.#budget.room(priority),
      isRetired: ({ name }) => this.#outages.isAbsent(name),
      noteDrift: ({ name }, field, kind) => this.#options.observer.onDrift?.({ operation: name, field, kind }),
    };
  }

  /** Replaces the planned requests a minute of each priority. */
  setPlan(plannedPerMinute: readonly number[]): void {
    this.#budget.setPlan(plannedPerMinute);
    this.#queue.serve();
  }

  /** Milliseconds until a request of this priority may be sent, as things are; Infinity for never. */
  waitFor(priority: number, requests?: number): number {
    return this.#budget.waitFor(priority, requests);
  }

  /** The current state. Times are Unix time in milliseconds. */
  snapshot() {
    const { pausedUntil } = this.#budget;
    const { outage, retired } = this.#outages;
    return { budget: { ...this.#budget.snapshot(), ...this.#queue.use }, pausedUntil, outage, retired };
  }

  /** The use of the budget, for the next process or client. */
  budgetRecord(): BudgetRecord {
    return this.#budget.record();
  }

  /** Cancels every request, and closes all connections. */
  async close(): Promise<void> {
    this.#closed.abort(new DOMException("the client is closed", "AbortError"));
    await this.#transport.close();
  }

  async #get<Path extends string>(
    poll: QueuedRequest,
    operation: Operation<Path>,
    parameters: Parameters<Path>,
    validator: Validator,
  ): Promise<ApiResponse<unknown>> {
    const url = requestUrl(this.#base, operation, parameters);
    const { limit: rows } = parameters.query ?? {};
    const limit = rows === undefined ? undefined : Number(rows);
    if (validator !== "cache") {
      // An earlier version may have written it to the state file.
      const etag = validator.etag !== undefined && isUsableEtag(validator.etag) ? validator.etag : undefined;
      return this.#send({ ...poll, operation, url, limit, etag });
    }
    const cached = this.#cache.get(operation);
    const isSame = cached?.url === url.href;
    const response = await this.#send({ ...poll, operation, url, limit, etag: isSame ? cached.etag : undefined });
    if (!response.changed) return { ...response, body: cached?.body };
    const { etag, body } = response;
    if (etag !== undefined) this.#cache.set(operation, { url: url.href, etag, body });
    else if (isSame) this.#cache.delete(operation);
    return response;
  }

  /**
   * Sends the request until there is a valid response, no retry can help, or the deadline is near.
   * @throws ApiError for every failure; the abort reason when the request was cancelled.
   */
  async #send(request: Request): Promise<ApiResponse<unknown>> {
    const { clock, observer, retries } = this.#options;
    const { operation, signal, deadline } = request;
    const check = () => {
      const refusal = this.#outages.refusal(operation.name);
      if (refusal !== undefined) throw refusal;
    };
    check();
    for (let tries = 0; ; tries += 1) {
      try {
        return await this.#queue.run(request, () => this.#exchange(request), check);
      } catch (error) {
        if (error instanceof Refusal) throw new ApiError(error.reason, operation.name, error.message);
        if (!(error instanceof ApiError) || error.retryAfterMs === undefined || tries === retries) throw error;
        // The queue waits for the end of a pause.
        const readyAt = Math.max(clock.now() + error.retryAfterMs, this.#budget.pausedUntil ?? 0);
        if (readyAt >= deadline) throw error;
        observer.onRetry?.({ operation: operation.name, reason: error.reason });
        await clock.sleep(error.retryAfterMs, signal).catch((reason) => {
          throw isTimeout(reason) ? error : reason;
        });
      }
    }
  }

  // Sends the request once. What the response means for other requests takes effect before the next one is admitted.
  async #exchange(request: Request): Promise<ApiResponse<unknown>> {
    const { clock, observer, key, userAgent, tryTimeoutMs, maxBodyBytes } = this.#options;
    const { operation, url, etag, signal } = request;
    const startedAt = clock.elapsed();
    this.#outages.begin();
    const headers = {
      "user-agent": userAgent,
      ...(key && { "x-api-key": key.reveal() }),
      ...(etag !== undefined && { "if-none-match": etag }),
    };
    // Never rejects.
    const received = await withTimeout(clock, tryTimeoutMs, signal, (limited) =>
      this.#transport.get(url, headers, limited, Math.min(maxBodyBytes, operation.maxBodyBytes ?? maxBodyBytes)),
    );
    const isResponse = "status" in received;
    // Cancelled: there is no outcome to record.
    if (!isResponse && signal.aborted && !isTimeout(signal.reason)) throw signal.reason;
    const tookMs = clock.elapsed() - startedAt;
    const code = isResponse ? String(received.status) : received.reason;
    observer.onRequest?.({ operation: operation.name, code, durationSeconds: tookMs / 1000 });
    const outcome = isResponse ? this.#read(request, received) : this.#failure(request, received);
    if (outcome instanceof ApiError && SERVER_FAULTS.includes(outcome.reason)) {
      throw this.#outages.failed(outcome, !isResponse && received.isUnreachable, tookMs);
    }
    const error = outcome instanceof ApiError ? outcome : undefined;
    if (this.#outages.responded(operation.name, error)) observer.onRetired?.(operation);
    if (outcome instanceof ApiError) throw outcome;
    return outcome;
  }

  #failure({ operation, signal }: Request, { reason, message }: WireFailure): ApiError {
    const detail = signal.aborted ? "no complete response before the deadline" : this.#redactor.mask(message);
    const isPassing = (reason === "timeout" || reason === "network") && !signal.aborted;
    return new ApiError(reason, operation.name, detail, { retryAfterMs: isPassing ? this.#backoff() : undefined });
  }

  #read({ operation, limit, etag }: Request, response: WireResponse): ApiResponse<unknown> | ApiError {
    const { status, headers, body } = response;
    const { observer, clock, longestPauseMs } = this.#options;
    const now = clock.now();
    const times = { receivedAt: now, servedAt: httpDate(headers.get("date")) };
    if (status === 304 && etag !== undefined) return { ...times, body: undefined, changed: false };
    if (status === 200) {
      const decoded = decode(body, operation.body, limit);
      if (decoded.ok) return { ...times, body: decoded.body, changed: true, etag: validatorOf(headers) };
      for (const drift of decoded.drift) observer.onDrift?.({ operation: operation.name, ...drift });
      return new ApiError("bad_body", operation.name, this.#redactor.mask(decoded.message), { status });
    }
    if (status === 429) {
      const before = this.#budget.pausedUntil;
      this.#budget.pause(Math.min(longestPauseMs, retryAfter(headers, now) ?? USUAL_PAUSE_MS));
      const { pausedUntil: until } = this.#budget;
      if (until !== undefined && until !== before) observer.onPause?.({ until });
    }
    return errorOf(operation, response, this.#redactor, now, this.#backoff());
  }

  #backoff(): number {
    return Math.round(this.#options.random() * LONGEST_BACKOFF_MS);
  }
}
