// The API of one network: puts the parts together and shows each poll its own narrow view.
import { Backoff } from "./backoff.ts";
import { Budget, type BudgetLimits, type BudgetRecord } from "./budget.ts";
import { Cache } from "./cache.ts";
import { Caller } from "./call.ts";
import { Circuit, type Outage } from "./circuit.ts";
import { type Clock, systemClock } from "./clock.ts";
import { ApiError } from "./errors.ts";
import type { Observer } from "./observer.ts";
import type { Answer, Operation, Parameters, StacksApi } from "./operation.ts";
import { type OperationFacts, OperationLedger } from "./operation-facts.ts";
import type { Parts } from "./parts.ts";
import { type RateLimit, RateLimits } from "./rate-limits.ts";
import { Redactor, type Secret } from "./redact.ts";
import { requestUrl } from "./request-url.ts";
import { type Retired, Retirement } from "./retirement.ts";
import { DEFAULT_RETRY, type RetryPolicy } from "./retry.ts";
import { Transport, type TransportLimits } from "./transport.ts";

/** What a client needs to know; only the first four have no default. */
export interface ClientOptions {
  /** Name of the network. */
  readonly network: string;
  /** Absolute; its path is a prefix of every request. */
  readonly baseUrl: string | URL;
  /** `stacks-exporter/<version>`. */
  readonly userAgent: string;
  readonly budget: BudgetLimits;
  /** What the process before used of the budget. @default nothing */
  readonly used?: BudgetRecord | undefined;
  /** API key, sent with every request and shown nowhere. */
  readonly key?: Secret | undefined;
  /** @default "x-api-key" */
  readonly keyHeader?: string | undefined;
  /** Masks the secrets of all networks in what servers say. @default masks the key, and the tokens of the base URL */
  readonly redactor?: Redactor | undefined;
  /** Bytes of a body, packed as well as unpacked. @default 16 MiB */
  readonly maxBodyBytes?: number | undefined;
  /** Of one attempt, milliseconds; a call can have several before its deadline. @default 15,000 */
  readonly attemptTimeoutMs?: number | undefined;
  readonly transport?: Partial<Omit<TransportLimits, "maxBodyBytes">> | undefined;
  readonly retry?: Partial<RetryPolicy> | undefined;
  /** Longest pause that a 429 can cause, milliseconds. @default 15 minutes */
  readonly longestPauseMs?: number | undefined;
  /** Longest time between two requests to a server that does not answer, milliseconds. @default 60,000 */
  readonly longestProbeMs?: number | undefined;
  /** @default 2,000 answers, 64 MiB */
  readonly cache?: { readonly maxEntries?: number; readonly maxBytes?: number } | undefined;
  readonly clock?: Clock | undefined;
  /** For jitter: a number of [0, 1). */
  readonly random?: (() => number) | undefined;
  readonly observer?: Observer | undefined;
}

/** One poll, as the client needs to know it. */
export interface PollOptions {
  /** 0 is served first. */
  readonly priority: number;
  /** Aborted at the deadline (with a `TimeoutError`) and at shutdown (with anything else). */
  readonly signal: AbortSignal;
  /** When the signal will be aborted, Unix time in milliseconds: lets hopeless requests fail at once. */
  readonly deadline?: number | undefined;
  /** Who asks, for the observer. */
  readonly collector?: string | undefined;
}

/** The state of one network's API. */
export interface ClientSnapshot {
  readonly network: string;
  /** The minute's figures, and those of the month under `month` when it is limited. */
  readonly budget: ReturnType<Budget["snapshot"]>;
  /** End of the running pause, Unix time in milliseconds. */
  readonly pausedUntil: number | undefined;
  /** Longest pause that a 429 can cause, milliseconds. */
  readonly longestPauseMs: number;
  /** What does not answer now. */
  readonly outage: Outage | undefined;
  /** Quotas of the server as last seen. */
  readonly rateLimits: readonly RateLimit[];
  readonly retired: readonly Retired[];
  readonly operations: readonly OperationFacts[];
  readonly cache: { readonly entries: number; readonly bytes: number };
}

/** The API of one network. */
export interface Client {
  /** The view of one poll. */
  forPoll(poll: PollOptions): StacksApi;
  /** Other plans of those who ask: requests a minute of each priority. */
  expect(plannedPerMinute: readonly number[]): void;
  /** Milliseconds until a request of this priority may leave, as things are; Infinity for never. */
  waitFor(priority: number): number;
  snapshot(): ClientSnapshot;
  /** What was used of the budget, for the process after this one. */
  budgetRecord(): BudgetRecord;
  /** Aborts every call, whatever it waits for, and drops all connections. */
  close(): Promise<void>;
}

/** Makes the client of one network; no request leaves before one is asked for. */
export function createClient(options: ClientOptions): Client {
  const base = new URL(options.baseUrl);
  const clock = options.clock ?? systemClock;
  const random = options.random ?? Math.random;
  const observer = options.observer ?? {};
  const limits: TransportLimits = {
    connections: 8,
    connectTimeoutMs: 5_000,
    headersTimeoutMs: 15_000,
    bodyTimeoutMs: 15_000,
    maxBodyBytes: options.maxBodyBytes ?? 16 * 2 ** 20,
    ...options.transport,
  };
  const budget = new Budget(options.budget, clock, limits.connections, options.used);
  const transport = new Transport(limits);
  const cache = new Cache(options.cache?.maxEntries ?? 2_000, options.cache?.maxBytes ?? 64 * 2 ** 20);
  const retirement = new Retirement();
  const ledger = new OperationLedger();
  const rateLimits = new RateLimits();
  const headers = () => ({
    "user-agent": options.userAgent,
    ...(options.key && { [options.keyHeader ?? "x-api-key"]: options.key.reveal() }),
  });
  const redactor = options.redactor ?? new Redactor(options.key === undefined ? [] : [options.key], [base]);
  const longestPauseMs = options.longestPauseMs ?? 15 * 60_000;
  const circuit = new Circuit(clock, options.longestProbeMs ?? 60_000, (outage) => observer.onOutage?.(outage));
  const parts: Parts = {
    ...{ clock, budget, transport, cache, retirement, circuit, ledger, rateLimits, observer, headers },
    backoff: new Backoff(random, longestPauseMs),
    redact: (text) => redactor.excerpt(text),
    attemptTimeoutMs: options.attemptTimeoutMs ?? 15_000,
  };
  const caller = new Caller(parts, { ...DEFAULT_RETRY, ...options.retry }, random);
  const life = new AbortController();
  return {
    forPoll: (poll) => stacksApi(parts, caller, base, { ...poll, signal: AbortSignal.any([poll.signal, life.signal]) }),
    expect: (plannedPerMinute) => budget.expect(plannedPerMinute),
    waitFor: (priority) => budget.waitFor(priority),
    snapshot: () => ({
      network: options.network,
      budget: budget.snapshot(),
      pausedUntil: budget.pausedUntil,
      longestPauseMs,
      outage: circuit.outage,
      rateLimits: rateLimits.snapshot(clock.now()),
      retired: retirement.snapshot(),
      operations: ledger.snapshot(),
      cache: cache.snapshot(),
    }),
    budgetRecord: () => budget.record(),
    close: async () => {
      life.abort(new DOMException("the client is closed", "AbortError"));
      await transport.close();
    },
  };
}

function stacksApi(parts: Parts, caller: Caller, base: URL, poll: PollOptions): StacksApi {
  const turn = {
    priority: poll.priority,
    signal: poll.signal,
    deadline: poll.deadline ?? Number.POSITIVE_INFINITY,
    collector: poll.collector,
  };
  // One 410 is enough for one poll, although it takes another a minute later to be believed.
  const gone = new Map<string, ApiError>();
  const get = async <Path extends string, Body>(
    operation: Operation<Path, Body>,
    parameters: Parameters<Path>,
    known?: { readonly etag: string | undefined },
  ) => {
    let url: URL;
    try {
      url = requestUrl(base, operation, parameters);
    } catch (error) {
      const message = error instanceof RangeError ? error.message : "no URL can be made";
      throw new ApiError("bug", operation.name, parts.redact(message));
    }
    const before = gone.get(operation.name);
    if (before !== undefined) throw before;
    try {
      // Decoded by this operation's own shape, now or when it was stored: the cache compares shapes.
      return (await caller.ask({ operation, ...turn, known }, url)) as Answer<Body>;
    } catch (error) {
      if (error instanceof ApiError && error.reason === "gone") gone.set(operation.name, error);
      throw error;
    }
  };
  return {
    get: (operation, parameters) => get(operation, parameters),
    getWhole: (operation, parameters) => get(operation, parameters, { etag: undefined }),
    getIfChanged: async (operation, parameters, etag) => {
      const answer = await get(operation, parameters, { etag });
      return answer.changed ? answer : undefined;
    },
    find: async (operation, parameters) => {
      try {
        return await get(operation, parameters);
      } catch (error) {
        if (error instanceof ApiError && error.reason === "not_found" && !error.routeMissing) return undefined;
        throw error;
      }
    },
    room: () => parts.budget.room(poll.priority),
    isRetired: ({ name }) => gone.has(name) || parts.retirement.isRetired(name, parts.clock.now()),
    noteDrift: (operation, field, kind) => parts.observer.onDrift?.({ operation: operation.name, field, kind }),
  };
}
