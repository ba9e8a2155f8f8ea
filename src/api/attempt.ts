// One attempt: through the budget onto the wire, and a judgement of what came back. Tries nothing twice.
import { isTimeout, timeoutReason } from "./abort.ts";
import { Refusal } from "./budget.ts";
import type { Stored } from "./cache.ts";
import type { Clock } from "./clock.ts";
import { ApiError, type Reason } from "./errors.ts";
import type { Judge, Judged } from "./judge.ts";
import type { Call, Parts } from "./parts.ts";
import { TransportFailure, type WireAnswer } from "./transport.ts";

/**
 * Makes one attempt. Everything that follows from the answer for other requests (a pause, a retirement) has happened before
 * the budget lets the next one leave.
 * @throws the reason of the signal when the call was aborted for anything but its deadline.
 */
export async function attempt(parts: Parts, judge: Judge, call: Call, url: URL): Promise<Judged> {
  try {
    return await parts.budget.run(call, () => ask(parts, judge, call, url));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return failed(new ApiError(error.reason, call.operation.name, error.message));
  }
}

async function ask(parts: Parts, judge: Judge, call: Call, url: URL): Promise<Judged> {
  const { operation } = call;
  // It may have been retired while this call waited for its turn.
  if (!call.probing && parts.retirement.isRetired(operation.name, parts.clock.now())) {
    return failed(new ApiError("gone", operation.name, "retired by the server"));
  }
  const stored = call.known === undefined ? parts.cache.find(operation, url.href) : keptByCaller(call.known.etag);
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
    answer = await parts.transport.get(url, { ...parts.headers(), ...conditional }, limit.signal);
  } catch (error) {
    // Somebody went away: no outcome of the request, and nobody left to tell.
    if (call.signal.aborted && !isTimeout(call.signal.reason)) throw call.signal.reason;
    const judged = unanswered(parts, call, error, limit.signal.aborted);
    report(judged.reason, error instanceof TransportFailure ? error.wireBytes : 0);
    return judged;
  } finally {
    limit.release();
  }
  report(String(answer.status), answer.wireBytes);
  return judge.judge(call, url, stored, answer);
}

const keptByCaller = (etag: string | undefined): Stored | undefined =>
  etag === undefined ? undefined : { etag, body: undefined };

function unanswered(parts: Parts, call: Call, error: unknown, timedOut: boolean): Judged & { reason: Reason } {
  const failure = error instanceof TransportFailure ? error : new TransportFailure("network", "connection failed");
  const reason = timedOut ? "timeout" : failure.kind;
  const what = timedOut
    ? `no complete answer ${call.signal.aborted ? "before the deadline" : "in time"}`
    : failure.message;
  const again =
    failure.stale && !timedOut ? "at_once" : reason === "timeout" || reason === "network" ? "backoff" : "never";
  return {
    kind: "failure",
    reason,
    error: new ApiError(reason, call.operation.name, parts.redact(what)),
    again: call.signal.aborted ? "never" : again,
    waitMs: undefined,
  };
}

function failed(error: ApiError): Judged {
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
