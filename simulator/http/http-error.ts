// Error answers, in the exact shapes of the server: they differ from case to case, and clients have to bear that.

/** What an operation answers: a status and JSON, or no body. */
export interface Answer {
  readonly status: number;
  readonly json?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An error answer on its way out. */
export class HttpError extends Error {
  readonly answer: Answer;

  constructor(answer: Answer) {
    super(`status ${answer.status}`);
    this.answer = answer;
  }
}

/** The request breaks the schema. Found before any hook runs, so version and cache headers are missing. */
export function invalid(message: string): HttpError {
  const json = { statusCode: 400, code: "FST_ERR_VALIDATION", error: "Bad Request", message };
  return new HttpError({ status: 400, json });
}

/** The request is well formed and makes no sense. */
export function badRequest(message: string): HttpError {
  return new HttpError({ status: 400, json: { statusCode: 400, error: "Bad Request", message } });
}

/** There is no such thing. */
export function notFound(message: string): HttpError {
  return new HttpError({ status: 404, json: { statusCode: 404, error: "Not Found", message } });
}

/** The database does not digest the request; `code` is its SQLSTATE. */
export function internal(message: string, code?: string): HttpError {
  const state = code === undefined ? {} : { code };
  const json = { statusCode: 500, ...state, error: "Internal Server Error", message };
  return new HttpError({ status: 500, json });
}

/** No such route, or the wrong method. */
export function noRoute(method: string, target: string): Answer {
  const json = { message: `Route ${method}:${target} not found`, error: "Not Found", statusCode: 404 };
  return { status: 404, json };
}

/** A deprecated operation that the operator switched off. */
export const GONE: Answer = {
  status: 410,
  json: {
    error: "Gone",
    message: "This endpoint has been disabled. See https://docs.hiro.so/stacks/api for more information",
  },
};

/** The database is down. */
export const DATABASE_DOWN: Answer = { status: 503, json: { error: "The database service is unavailable" } };
