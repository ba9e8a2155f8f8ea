// What an abort means: a deadline that passed is a failure to report, anything else is somebody who went away.

/** Whether an abort reason says that time ran out, as that of `AbortSignal.timeout` does. */
export function isTimeout(reason: unknown): boolean {
  return typeof reason === "object" && reason !== null && "name" in reason && reason.name === "TimeoutError";
}

/** The reason with which to abort something that took too long. */
export function timeoutReason(milliseconds: number): DOMException {
  return new DOMException(`no answer within ${milliseconds} ms`, "TimeoutError");
}
