// The client of one API server: connects its parts, and gives each poll its own view of the API.
import { Budget, type BudgetLimits, type BudgetRecord } from "./budget.ts";
import { Cache } from "./cache.ts";
import { Circuit, type Outage } from "./circuit.ts";
import { type Clock, systemClock } from "./clock.ts";
import type { ApiRequest, ClientContext } from "./context.ts";
import { ApiError } from "./errors.ts";
import type { Observer } from "./observer.ts";
import type { ApiResponse, Operation, Parameters, StacksApi } from "./operation.ts";
import { type RateLimit, RateLimits } from "./rate-limits.ts";
import { Redactor, type Secret } from "./redact.ts";
import { requestUrl, sendRequest } from "./request.ts";
import { type Retired, Retirement } from "./retirement.ts";
import { Transport } from "./transport.ts";

/** Settings of a client. */
export interface ClientOptions {
  /** Absolute; its path is a prefix of every request. */
  readonly baseUrl: string | URL;
  /** `stacks-exporter/<version>`. */
  readonly userAgent: string;
  readonly budget: BudgetLimits;
  /** What earlier processes used of the budget. @default nothing */
  readonly used?: BudgetRecord | undefined;
  /** API key, sent with every request and never shown. */
  readonly key?: Secret | undefined;
  /** @default "x-api-key" */
  readonly keyHeader?: string | undefined;
  /** Masks the secrets of all networks in text from servers. @default masks the key, and the tokens of the base URL */
  readonly redactor?: Redactor | undefined;
  /** Bytes of a body, compressed as well as decompressed. @default 16 MiB */
  readonly maxBodyBytes?: number | undefined;
  /** Timeout of one try, milliseconds; a request can have several tries before its deadline. @default 15,000 */
  readonly tryTimeoutMs?: number | undefined;
  /** Tries after the first. @default 2 */
  readonly retries?: number | undefined;
  /** @default 8 */
  readonly connections?: number | undefined;
  /** Timeout of making a connection, milliseconds. @default 5,000 */
  readonly connectTimeoutMs?: number | undefined;
  /** Longest pause after a 429, milliseconds. @default 15 minutes */
  readonly longestPauseMs?: number | undefined;
  /** Longest time between two probes of a server that is down, milliseconds. @default 60,000 */
  readonly longestProbeMs?: number | undefined;
  readonly clock?: Clock | undefined;
  /** For jitter: a number of [0, 1). */
  readonly random?: (() => number) | undefined;
  readonly observer?: Observer | undefined;
}

/** What a client has to know of a poll. */
export interface PollOptions {
  /** 0 is admitted first. */
  readonly priority: number;
  /** Aborted at the deadline (with a `TimeoutError`) and at shutdown (with anything else). */
  readonly signal: AbortSignal;
  /** When the signal will be aborted, Unix time in milliseconds: requests that cannot end before it fail at once. */
  readonly deadline?: number | undefined;
  /** Name of the collector, for the observer. */
  readonly collector?: string | undefined;
  /** Called with the height of the chain tip, for each response that holds it. */
  readonly onTip?: ((height: number) => void) | undefined;
}

/** The state of a client. */
export interface ClientSnapshot {
  /** The minute's figures, and those of the month under `month` when it is limited. */
  readonly budget: ReturnType<Budget["snapshot"]>;
  /** End of the active pause, Unix time in milliseconds. */
  readonly pausedUntil: number | undefined;
  /** Longest pause after a 429, milliseconds. */
  readonly longestPauseMs: number;
  /** What is down now. */
  readonly outage: Outage | undefined;
  /** Quotas of the server as last seen. */
  readonly rateLimits: readonly RateLimit[];
  readonly retired: readonly Retired[];
  readonly cache: { readonly entries: number; readonly bytes: number };
}

/** The client of one API server. */
export interface Client {
  /** The API for one poll. */
  forPoll(poll: PollOptions): StacksApi;
  /** Replaces the planned requests a minute of each priority. */
  setPlan(plannedPerMinute: readonly number[]): void;
  /** Milliseconds until a request of this priority may be sent, as things are; Infinity for never. */
  waitFor(priority: number): number;
  snapshot(): ClientSnapshot;
  /** What was used of the budget, for the next process. */
  budgetRecord(): BudgetRecord;
  /** Cancels every request, and closes all connections. */
  close(): Promise<void>;
}

/** Creates the client of one API server. It sends nothing by itself. */
export function createClient(options: ClientOptions): Client {
  const { clock = systemClock, random = Math.random, observer = {}, longestPauseMs = 15 * 60_000 } = options;
  const base = new URL(options.baseUrl);
  const { connections = 8, connectTimeoutMs = 5_000, maxBodyBytes = 16 * 2 ** 20 } = options;
  const redactor = options.redactor ?? new Redactor(options.key === undefined ? [] : [options.key], [base]);
  const context: ClientContext = {
    ...{ clock, random, observer },
    budget: new Budget(options.budget, clock, connections, options.used),
    transport: new Transport({ connections, connectTimeoutMs, maxBodyBytes }),
    cache: new Cache(2_000, 64 * 2 ** 20),
    retirement: new Retirement(),
    circuit: new Circuit(clock, options.longestProbeMs ?? 60_000, (outage) => observer.onOutage?.(outage)),
    rateLimits: new RateLimits(random, longestPauseMs),
    redact: (text) => redactor.excerpt(text),
    headers: () => ({
      "user-agent": options.userAgent,
      ...(options.key && { [options.keyHeader ?? "x-api-key"]: options.key.reveal() }),
    }),
    retries: options.retries ?? 2,
    tryTimeoutMs: options.tryTimeoutMs ?? 15_000,
  };
  const { budget, transport, cache, retirement, circuit, rateLimits } = context;
  const closed = new AbortController();
  return {
    forPoll: (poll) => apiForPoll(context, base, { ...poll, signal: AbortSignal.any([poll.signal, closed.signal]) }),
    setPlan: (plannedPerMinute) => budget.setPlan(plannedPerMinute),
    waitFor: (priority) => budget.waitFor(priority),
    snapshot: () => ({
      budget: budget.snapshot(),
      pausedUntil: budget.pausedUntil,
      longestPauseMs,
      outage: circuit.outage,
      rateLimits: rateLimits.snapshot(clock.now()),
      retired: retirement.snapshot(),
      cache: cache.snapshot(),
    }),
    budgetRecord: () => budget.record(),
    close: async () => {
      closed.abort(new DOMException("the client is closed", "AbortError"));
      await transport.close();
    },
  };
}

function apiForPoll(context: ClientContext, base: URL, poll: PollOptions): StacksApi {
  const { priority, signal, deadline = Number.POSITIVE_INFINITY, collector, onTip } = poll;
  // A single 410 holds for the rest of the poll, although it takes another one a minute later to retire the operation.
  const gone = new Map<string, ApiError>();
  const get = async <Path extends string, Body>(
    operation: Operation<Path, Body>,
    parameters: Parameters<Path>,
    validator: ApiRequest["validator"],
  ) => {
    const url = requestUrl(base, operation, parameters);
    const before = gone.get(operation.name);
    if (before !== undefined) throw before;
    try {
      const request = { operation, url, validator, priority, signal, deadline, collector };
      // Decoded by the schema of this operation, now or when it was cached: the cache compares schemas.
      const response = (await sendRequest(context, request)) as ApiResponse<Body>;
      // Without a body, nothing has changed since the response that the caller keeps.
      const height = response.body && operation.tipHeight?.(response.body, parameters.query ?? {});
      if (typeof height === "number") onTip?.(height);
      return response;
    } catch (error) {
      if (error instanceof ApiError && error.reason === "gone") gone.set(operation.name, error);
      throw error;
    }
  };
  return {
    get: (operation, parameters) => get(operation, parameters, "cache"),
    getWhole: (operation, parameters) => get(operation, parameters, { etag: undefined }),
    getIfChanged: async (operation, parameters, etag) => {
      const response = await get(operation, parameters, { etag });
      return response.changed ? response : undefined;
    },
    find: async (operation, parameters) => {
      try {
        return await get(operation, parameters, "cache");
      } catch (error) {
        if (error instanceof ApiError && error.reason === "not_found" && !error.routeMissing) return undefined;
        throw error;
      }
    },
    room: () => context.budget.room(priority),
    isRetired: ({ name }) => gone.has(name) || context.retirement.isRetired(name, context.clock.now()),
    noteDrift: (operation, field, kind) => context.observer.onDrift?.({ operation: operation.name, field, kind }),
  };
}
