// The client of one API server: the path of a request, from a poll to its decoded response. Every try takes its own
// request from the budget.
import type { Budget } from "./budget.ts";
import { isTimeout, systemClock, withTimeout } from "./clock.ts";
import { ApiError } from "./errors.ts";
import type { ApiResponse, Drift, Operation, Parameters, StacksApi } from "./operation.ts";
import { type Observer, Outages } from "./outages.ts";
import { type QueuedRequest, RequestQueue } from "./queue.ts";
import type { Redactor } from "./redact.ts";
import { BACKOFF_MS, decode, errorOf, retryAfter, validatorOf } from "./response.ts";
import { Transport, type WireFailure, type WireResponse } from "./transport.ts";

/** Settings that most clients share. */
const DEFAULTS = {
  /** Tries after the first. */
  retries: 2,
  connections: 8,
  /** Time between two probes of a server that is down. */
  probeEveryMs: 60_000,
  clock: systemClock,
  observer: {} as Observer,
};

/** Settings of a client. */
export interface ClientOptions extends Partial<typeof DEFAULTS> {
  /** Absolute, without a slash, a query or a fragment at the end; its path is a prefix of every request. */
  readonly baseUrl: string;
  readonly userAgent: string;
  readonly budget: Budget;
  /** API key, sent with every request and never shown. */
  readonly key?: (() => string) | undefined;
  /** Masks the secrets of all networks in text from servers. */
  readonly redactor: Redactor;
}

/** Properties of a poll for a client. */
export interface PollOptions extends Omit<QueuedRequest, "name"> {
  /** Called for each valid response, and one of `find` without a result, with the height of the tip if it holds it. */
  readonly onResponse?: ((tip?: number) => void) | undefined;
}

/** One request of a poll; conditional with `etag`. */
interface Request extends QueuedRequest {
  readonly operation: Operation;
  /** What it is about: the first path parameter, or the operation. */
  readonly subject: string;
  readonly url: URL;
  readonly etag: string | undefined;
}

// Of a 429 that names no time: Hiro counts requests in minutes.
const USUAL_PAUSE_MS = 60_000;
// A poll can last longer, because it waits for its budget. No request keeps a connection for as long.
const LONGEST_REQUEST_MS = 60_000;
// Of a body, compressed as well as decompressed.
const MAX_BYTES = 16 * 2 ** 20;

/**
 * The URL of an operation below the base URL.
 * @throws ApiError `bug` when a path parameter is missing or invalid, or would change the path instead of filling its
 * place.
 */
function requestUrl<Path extends string>(base: string, operation: Operation<Path>, parameters: Parameters<Path>): URL {
  const values: Readonly<Record<string, string | number>> = parameters.path;
  const path = operation.path.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => {
    const value = Object.hasOwn(values, name) ? String(values[name]) : "";
    // Encoding leaves dots alone, and a URL resolves them away.
    if (value === "" || value === "." || value === ".." || !value.isWellFormed()) {
      throw new ApiError("bug", operation.name, `no usable value for {${name}}`);
    }
    return encodeURIComponent(value);
  });
  const url = new URL(base + path);
  for (const [name, value] of Object.entries(parameters.query ?? {})) url.searchParams.append(name, String(value));
  return url;
}

/** The client of one API server. It sends nothing by itself. */
export class Client {
  readonly budget: Budget;
  readonly #options: ClientOptions & typeof DEFAULTS;
  readonly #queue: RequestQueue;
  readonly #transport: Transport;
  readonly #outages: Outages;
  readonly #closed = new AbortController();

  constructor(options: ClientOptions) {
    this.#options = { ...DEFAULTS, ...options };
    const { budget, clock, connections, probeEveryMs, observer } = this.#options;
    this.budget = budget;
    this.#queue = new RequestQueue(this.budget, clock, connections);
    this.#transport = new Transport(connections);
    this.#outages = new Outages(clock, probeEveryMs, observer);
  }

  forPoll({ priority, signal, deadline, onResponse }: PollOptions): StacksApi {
    const poll = { priority, deadline, signal: AbortSignal.any([signal, this.#closed.signal]) };
    const get = async <Path extends string, Body>(
      operation: Operation<Path, Body>,
      parameters: Parameters<Path>,
      etag?: string,
    ): Promise<ApiResponse<Body>> => {
      const { name } = operation;
      const url = requestUrl(this.#options.baseUrl, operation, parameters);
      const subject = String(Object.values(parameters.path)[0] ?? name);
      // The body is decoded by the schema of this operation.
      const response = (await this.#send({ ...poll, name, operation, subject, url, etag })) as ApiResponse<Body>;
      // Without a body, nothing has changed since the response that the caller keeps.
      const { body } = response;
      onResponse?.(body === undefined ? undefined : operation.tipHeight?.(body, parameters.query ?? {}));
      return response;
    };
    return {
      get: (operation, parameters) => get(operation, parameters),
      getIfChanged: async (operation, parameters, etag) => {
        const response = await get(operation, parameters, etag);
        return response.body === undefined ? undefined : response;
      },
      find: (operation, parameters) =>
        get(operation, parameters).catch((error: unknown) => {
          if (!(error instanceof ApiError) || error.reason !== "not_found" || error.routeMissing) throw error;
          onResponse?.();
          return undefined;
        }),
      room: () => this.budget.room(priority),
      checkUp: ({ name }) => {
        this.#outages.checkUp(name);
        if (this.budget.pausedUntil !== undefined)
          throw new ApiError("rate_limited", name, "requests are paused after a 429");
      },
      isRetired: ({ name }) => this.#outages.isRetired(name),
      noteDrift: ({ name }, field, kind) => this.#options.observer.onDrift?.(name, field, kind),
    };
  }

  /** Milliseconds until requests of this priority can be sent: while the server is down, until the next probe. */
  waitFor(priority: number, requests?: number): number {
    return Math.max(this.budget.waitFor(priority, requests), this.#outages.probeIn);
  }

  /** The current state. Times are Unix time in milliseconds. */
  snapshot() {
    const { budget } = this;
    return { budget: budget.snapshot(), pausedUntil: budget.pausedUntil, outage: this.#outages.outage };
  }

  /** Cancels every request, and closes all connections. */
  async close(): Promise<void> {
    this.#closed.abort(new DOMException("the client is closed", "AbortError"));
    await this.#transport.close();
  }

  /**
   * Sends the request until there is a valid response, no retry can help, or the deadline is near.
   * @throws ApiError for every failure; the abort reason when the request was cancelled.
   */
  async #send(request: Request): Promise<ApiResponse<unknown>> {
    const { clock, retries } = this.#options;
    const { operation, signal, deadline } = request;
    const check = () => this.#outages.check(operation.name);
    check();
    for (let tries = 0; ; tries += 1) {
      try {
        return await this.#queue.run(request, () => this.#exchange(request), check);
      } catch (error) {
        if (!(error instanceof ApiError) || error.retryAfterMs === undefined || tries === retries) throw error;
        // The queue waits for the end of a pause.
        const wait = Math.max(error.retryAfterMs, (this.budget.pausedUntil ?? 0) - clock.now());
        if (clock.elapsed() + wait >= deadline) throw error;
        await clock.sleep(error.retryAfterMs, signal).catch((reason) => {
          throw isTimeout(reason) ? error : reason;
        });
      }
    }
  }

  // Sends the request once. What the response means for other requests takes effect before the next one is admitted.
  async #exchange(request: Request): Promise<ApiResponse<unknown>> {
    const { clock, observer, key, userAgent } = this.#options;
    const { operation, subject, url, etag, signal } = request;
    const startedAt = clock.elapsed();
    this.#outages.begin(operation.name);
    const headers = {
      "user-agent": userAgent,
      ...(key && { "x-api-key": key() }),
      ...(etag !== undefined && { "if-none-match": etag }),
    };
    const received = await withTimeout(clock, LONGEST_REQUEST_MS, signal, (until) =>
      this.#transport.get(url, headers, until, operation.maxBodyBytes ?? MAX_BYTES),
    );
    // Cancelled: there is no outcome to record.
    if ("reason" in received && signal.aborted && !isTimeout(signal.reason)) throw signal.reason;
    const tookMs = clock.elapsed() - startedAt;
    const code = "reason" in received ? received.reason : String(received.status);
    observer.onRequest?.(operation.name, code);
    try {
      const response = this.#read(request, received);
      this.#outages.responded(operation);
      return response;
    } catch (error) {
      throw error instanceof ApiError ? this.#outages.failed(operation, subject, error, tookMs) : error;
    }
  }

  #read({ operation, url, etag, signal }: Request, received: WireResponse | WireFailure): ApiResponse<unknown> {
    const { observer, clock, redactor } = this.#options;
    if ("reason" in received) {
      const { reason, message } = received;
      const isPassing = (reason === "timeout" || reason === "network") && !signal.aborted;
      const retryAfterMs = isPassing ? BACKOFF_MS : undefined;
      throw new ApiError(reason, operation.name, redactor.mask(message), { retryAfterMs });
    }
    const { status, headers, body } = received;
    const times = { receivedAt: clock.now(), servedAt: Date.parse(headers.get("date") ?? "") || undefined };
    if (status === 304 && etag !== undefined) return { ...times, body: undefined };
    if (status === 200) {
      const onDrift = (field: string, kind: Drift) => observer.onDrift?.(operation.name, field, kind);
      // Rows of the response, if the request names their number.
      const limit = Number(url.searchParams.get("limit")) || undefined;
      return { ...times, body: decode(operation, body, limit, onDrift), etag: validatorOf(headers) };
    }
    if (status === 429) {
      // Responses to requests that were under way belong to the same pause.
      const isPaused = this.budget.pausedUntil !== undefined;
      this.budget.pause(retryAfter(headers) ?? USUAL_PAUSE_MS);
      const { pausedUntil: until } = this.budget;
      if (until !== undefined && !isPaused) observer.onPause?.(until);
    }
    throw errorOf(operation, received, redactor);
  }
}
