// One attempt: through the budget onto the wire, and a judgement of what came back. Tries nothing twice.
import { isTimeout, timeoutReason } from "./abort.ts";
import { Refusal } from "./budget.ts";
import { isUsable, type Stored } from "./cache.ts";
import type { Clock } from "./clock.ts";
import { ApiError, type Reason } from "./errors.ts";
import type { Failed, Judge, Judged } from "./judge.ts";
import type { Call, Parts } from "./parts.ts";
import { TransportFailure, type WireAnswer } from "./transport.ts";

const SERVER_FAULTS: ReadonlySet<Reason> = new Set<Reason>(["network", "timeout", "http_server"]);

/**
 * Makes one attempt. Everything that follows from the answer for other requests (a pause, a retirement, an outage) has
 * happened before the budget lets the next one leave.
 * @throws the reason of the signal when the call was aborted for anything but its deadline.
 */
export async function attempt(parts: Parts, judge: Judge, call: Call, url: URL): Promise<Judged> {
  const turn = { ...call, refusal: () => refusal(parts, call) };
  try {
    return await parts.budget.run(turn, (giveBack) => ask(parts, judge, call, url, giveBack));
  } catch (error) {
    if (error instanceof ApiError) return failed(error);
    if (!(error instanceof Refusal)) throw error;
    const isShared = error.reason === "rate_limited";
    return failed(new ApiError(error.reason, call.operation.name, error.message, { isShared }));
  }
}

// What another call has learned while this one waits for its turn.
function refusal(parts: Parts, { operation, lease }: Call): ApiError | undefined {
  if (!lease.isGone()) return parts.circuit.refusal(operation.name);
  return new ApiError("gone", operation.name, "another request has just got HTTP 410", { status: 410 });
}

async function ask(parts: Parts, judge: Judge, call: Call, url: URL, giveBack: () => void): Promise<Judged> {
  const { circuit, clock } = parts;
  const started = clock.elapsed();
  const end = circuit.leave(call.operation.name);
  let sent: Sent;
  try {
    sent = await send(parts, judge, call, url);
  } finally {
    end();
  }
  const { judged, failure } = sent;
  if (failure?.isUnsent === true) giveBack();
  // The server closed an idle connection, as it may.
  if (failure?.stale === true && judged.kind === "failure" && judged.again === "at_once") return judged;
  if (judged.kind !== "failure" || !SERVER_FAULTS.has(judged.error.reason)) {
    circuit.answered();
    return judged;
  }
  const isConnected = failure?.isUnsent !== true;
  const tookMs = clock.elapsed() - started;
  const error = circuit.failed({ error: judged.error, url: url.href, isConnected, tookMs });
  return error.isShared ? { ...judged, error, again: "never" } : judged;
}

interface Sent {
  readonly judged: Judged;
  /** Why there is no answer; undefined when there is one. */
  readonly failure?: TransportFailure;
}

async function send(parts: Parts, judge: Judge, call: Call, url: URL): Promise<Sent> {
  const { operation } = call;
  const stored = storedOf(parts, call, url);
  const conditional: Record<string, string> = stored === undefined ? {} : { "if-none-match": stored.etag };
  const started = parts.clock.now();
  const report = (code: string, bytes: number) => {
    const now = parts.clock.now();
    const durationSeconds = Math.max(0, now - started) / 1000;
    parts.ledger.requested(operation.name, code, now);
    parts.observer.onRequest?.({
      operation: operation.name,
      collector: call.collector,
      code,
      durationSeconds,
      bytes,
    });
  };
  const limit = limited(call.signal, parts.attemptTimeoutMs, parts.clock);
  let answer: WireAnswer;
  try {
    const headers = { ...parts.headers(), ...conditional };
    answer = await parts.transport.get(url, headers, limit.signal, operation.maxBodyBytes);
  } catch (error) {
    // Cancelled: no outcome to record.
    if (call.signal.aborted && !isTimeout(call.signal.reason)) throw call.signal.reason;
    const failure = error instanceof TransportFailure ? error : new TransportFailure("network", "connection failed");
    const judged = unanswered(parts, call, failure, limit.signal.aborted);
    report(judged.error.reason, failure.wireBytes);
    return { judged, failure };
  } finally {
    limit.release();
  }
  report(String(answer.status), answer.wireBytes);
  return { judged: judge.judge(call, url, stored, answer) };
}

function storedOf(parts: Parts, { operation, known, isPlain }: Call, url: URL): Stored | undefined {
  if (isPlain === true) return undefined;
  if (known === undefined) return parts.cache.find(operation, url.href);
  // A validator from the state file may be older than the rules of today.
  return known.etag === undefined || !isUsable(known.etag) ? undefined : { etag: known.etag, body: undefined };
}

function unanswered(parts: Parts, call: Call, failure: TransportFailure, timedOut: boolean): Failed {
  const reason = timedOut ? "timeout" : failure.kind;
  const what = timedOut
    ? `no complete answer ${call.signal.aborted ? "before the deadline" : "in time"}`
    : failure.message;
  const again =
    failure.stale && !timedOut ? "at_once" : reason === "timeout" || reason === "network" ? "backoff" : "never";
  return {
    kind: "failure",
    error: new ApiError(reason, call.operation.name, parts.redact(what)),
    again: call.signal.aborted ? "never" : again,
    waitMs: undefined,
  };
}

function failed(error: ApiError): Failed {
  return { kind: "failure", error, again: "never", waitMs: undefined };
}

// AbortSignal.any and AbortSignal.timeout in one, on the given clock and without a trace left on the outer signal.
function limited(outer: AbortSignal, milliseconds: number, clock: Clock) {
  const inner = new AbortController();
  const over = new AbortController();
  const onAbort = () => inner.abort(outer.reason);
  outer.addEventListener("abort", onAbort, { once: true });
  clock.sleep(milliseconds, over.signal).then(
    () => inner.abort(timeoutReason(milliseconds)),
    () => {}, // released
  );
  const release = () => {
    over.abort();
    outer.removeEventListener("abort", onAbort);
  };
  return { signal: inner.signal, release };
}
