// The client of one API server: connects its parts, and gives each poll its own view of the API.
import { Budget, type BudgetLimits, type BudgetRecord } from "./budget.ts";
import { Cache } from "./cache.ts";
import { Circuit } from "./circuit.ts";
import { systemClock } from "./clock.ts";
import type { ApiRequest, ClientContext } from "./context.ts";
import { ApiError } from "./errors.ts";
import type { Observer } from "./observer.ts";
import type { ApiResponse, Operation, Parameters, StacksApi } from "./operation.ts";
import { RequestQueue } from "./queue.ts";
import { RateLimits } from "./rate-limits.ts";
import { Redactor, type Secret } from "./redact.ts";
import { requestUrl, sendRequest } from "./request.ts";
import { Retirement } from "./retirement.ts";
import { Transport } from "./transport.ts";

/** Settings that most clients share. */
const DEFAULTS = {
  keyHeader: "x-api-key",
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
  /** Name of the collector, for the observer. */
  readonly collector?: string | undefined;
  /** Called with the height of the chain tip, for each response that holds it. */
  readonly onTip?: ((height: number) => void) | undefined;
}

/** The client of one API server. */
export type Client = ReturnType<typeof createClient>;

/** Creates the client of one API server. It sends nothing by itself. */
export function createClient(options: ClientOptions) {
  const settings = { ...DEFAULTS, ...options };
  const { clock, random, observer, connections, longestPauseMs, keyHeader, key, retries, tryTimeoutMs } = settings;
  const base = new URL(options.baseUrl);
  const redactor = options.redactor ?? new Redactor(key === undefined ? [] : [key], [base]);
  const limits = { ...options.budget, longestPauseMs };
  const budget = new Budget(limits, clock, options.used, options.save);
  const queue = new RequestQueue(budget, clock, connections);
  const transport = new Transport(connections, settings.connectTimeoutMs, settings.maxBodyBytes);
  const cache = new Cache(2_000, 64 * 2 ** 20);
  const retirement = new Retirement();
  const circuit = new Circuit(clock, settings.longestProbeMs, (outage) => observer.onOutage?.(outage));
  const rateLimits = new RateLimits(random, longestPauseMs);
  const context: ClientContext = {
    clock,
    random,
    observer,
    budget,
    queue,
    transport,
    cache,
    retirement,
    circuit,
    rateLimits,
    retries,
    tryTimeoutMs,
    redactor,
    headers: () => ({ "user-agent": options.userAgent, ...(key && { [keyHeader]: key.reveal() }) }),
  };
  const closed = new AbortController();
  return {
    /** The API for one poll. */
    forPoll: (poll: PollOptions): StacksApi =>
      apiForPoll(context, base, { ...poll, signal: AbortSignal.any([poll.signal, closed.signal]) }),
    /** Replaces the planned requests a minute of each priority. */
    setPlan: (plannedPerMinute: readonly number[]): void => {
      budget.setPlan(plannedPerMinute);
      queue.serve();
    },
    /** Milliseconds until a request of this priority may be sent, as things are; Infinity for never. */
    waitFor: (priority: number, requests?: number): number => budget.waitFor(priority, requests),
    /** The current state. Times are Unix time in milliseconds. */
    snapshot: () => ({
      budget: { ...budget.snapshot(), ...queue.snapshot() },
      /** End of the active pause. */
      pausedUntil: budget.pausedUntil,
      longestPauseMs,
      outage: circuit.outage,
      /** Quotas of the server as last seen. */
      retired: retirement.snapshot(),
    }),
    /** The use of the budget, for the next process or client. */
    budgetRecord: (): BudgetRecord => budget.record(),
    /** Cancels every request, and closes all connections. */
    close: async (): Promise<void> => {
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
    const { limit } = parameters.query ?? {};
    const before = gone.get(operation.name);
    if (before !== undefined) throw before;
    try {
      const rows = limit === undefined ? undefined : Number(limit);
      const request = { operation, url, limit: rows, validator, priority, signal, deadline, collector };
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
