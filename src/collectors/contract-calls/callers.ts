// The distinct callers of the last hour. Pure.

/** When each caller was last seen. Plain data. Unix times in seconds. */
export type Callers = Readonly<Record<string, number>>;

/** Time for which a caller counts, in seconds. */
const CALLERS_SECONDS = 3600;
/** Most callers that are kept. */
export const MAX_CALLERS = 10_000;

/** The callers of the last hour after further calls. @param now Unix time in seconds */
export function withCallers(
  before: Callers,
  calls: readonly { readonly caller: string | undefined; readonly time: number | undefined }[],
  now: number,
): Callers {
  const times = new Map(Object.entries(before));
  for (const { caller, time } of calls) {
    if (caller !== undefined && time !== undefined) times.set(caller, Math.max(time, times.get(caller) ?? 0));
  }
  const recent = [...times].filter(([, time]) => time > now - CALLERS_SECONDS);
  if (recent.length > MAX_CALLERS) recent.sort(([, a], [, b]) => b - a).splice(MAX_CALLERS);
  return Object.fromEntries(recent);
}
