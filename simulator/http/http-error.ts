// Error responses in the shapes of the real server, which differ from case to case.

/** A response before it is serialized. Without `json` it has no body. */
export interface JsonResponse {
  readonly status: number;
  readonly json?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Thrown to respond with an error. */
export class HttpError extends Error {
  readonly response: JsonResponse;

  constructor(status: number, json: object) {
    super(`status ${status}`);
    this.response = { status, json };
  }
}

/** The request violates the schema. No hook has run, so version and cache headers are missing. */
export function invalid(message: string): HttpError {
  return new HttpError(400, { statusCode: 400, code: "FST_ERR_VALIDATION", error: "Bad Request", message });
}

/** The request matches the schema, but its parameters contradict each other. */
export function badRequest(message: string): HttpError {
  return new HttpError(400, { statusCode: 400, error: "Bad Request", message });
}

export function notFound(message: string): HttpError {
  return new HttpError(404, { statusCode: 404, error: "Not Found", message });
}

/** The database rejects the query; `code` is its SQLSTATE. */
export function internal(message: string, code?: string): HttpError {
  const state = code === undefined ? {} : { code };
  return new HttpError(500, { statusCode: 500, ...state, error: "Internal Server Error", message });
}

/** An unknown path or method. */
export function noRoute(method: string, target: string): JsonResponse {
  const json = { message: `Route ${method}:${target} not found`, error: "Not Found", statusCode: 404 };
  return { status: 404, json };
}

/** A deprecated operation that the operator has switched off. */
export const GONE: JsonResponse = {
  status: 410,
  json: {
    error: "Gone",
    message: "This endpoint has been disabled. See https://docs.hiro.so/stacks/api for more information",
  },
};

/** The database is down. */
export const DATABASE_DOWN: JsonResponse = { status: 503, json: { error: "The database service is unavailable" } };
