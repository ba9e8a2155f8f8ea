// What an operation of the API is: a name, a path with typed placeholders, and the shape that is read from the answer.
import type { ZodType } from "zod";

/** One GET operation. Declare in `body` only the fields that are read: every declared field is a way to fail. */
export interface Operation<Path extends string = string, Body = unknown> {
  /** Label value and error prefix, such as `mempool_stats`. */
  readonly name: string;
  /** Path below the base URL; `{name}` marks a parameter. */
  readonly path: Path;
  readonly body: ZodType<Body>;
  /** Longest answer that is read, if that is less than the limit of the network. Bytes, after decompression as well. */
  readonly maxBodyBytes?: number | undefined;
  /** What is read instead where the server has switched the operation off. Absent: nothing. */
  readonly replacement?: Replacement | undefined;
}

/** The operation that takes the place of another one. */
export interface Replacement {
  /** Name of the operation. */
  readonly name: string;
  /** What it does not tell, as a part of a sentence; absent when it tells the same. */
  readonly lacks?: string | undefined;
}

type Placeholder<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholder<Rest>
  : never;

/** Path parameters (required, one per placeholder) and free query parameters of one request. */
export interface Parameters<Path extends string> {
  readonly path: Readonly<Record<Placeholder<Path>, string | number>>;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
}

/** Declares an operation; exists so that the literal type of the path is kept. */
export function operation<const Path extends string, Body>(declared: Operation<Path, Body>): Operation<Path, Body> {
  return declared;
}

/** A good answer: from the wire, or the stored one confirmed by a 304. */
export interface Answer<Body> {
  readonly body: Body;
  /**
   * False when the server said 304: `body` is the very object of the earlier answer, which may have gone to a poll that
   * failed afterwards. To know whether it was already used, compare `body` with the one that was kept. Do not alter it.
   */
  readonly changed: boolean;
  /** When the answer arrived. Unix time, milliseconds. */
  readonly receivedAt: number;
  /** Its validator; undefined when it has none that can be used. */
  readonly etag?: string | undefined;
}

/** An answer whose validator the caller keeps. */
export interface Validated<Body> {
  readonly body: Body;
  /** When the answer arrived. Unix time, milliseconds. */
  readonly receivedAt: number;
  /** What to ask with next time; undefined when the server gave none that can be used. */
  readonly etag?: string | undefined;
}

/** Kinds of drift between the answer and what is declared; label `kind` of the drift counter. */
export type Drift = "missing" | "null" | "type" | "enum";

/** What a collector sees of one network's API for the length of one poll: deadline and priority are already set. */
export interface StacksApi {
  /**
   * Asks one operation, within the budget.
   * @throws ApiError for everything but a valid 200 or 304.
   */
  get<Path extends string, Body>(operation: Operation<Path, Body>, parameters: Parameters<Path>): Promise<Answer<Body>>;
  /**
   * Asks for the whole answer, so that no 304 can confirm what a reorganisation has changed. Nothing is stored: the caller keeps
   * the validator, and ten thousand lists that do not change cost no memory.
   */
  getWhole<Path extends string, Body>(
    operation: Operation<Path, Body>,
    parameters: Parameters<Path>,
  ): Promise<Validated<Body>>;
  /** The same when it has changed since the answer with this validator; undefined when it has not. */
  getIfChanged<Path extends string, Body>(
    operation: Operation<Path, Body>,
    parameters: Parameters<Path>,
    etag: string,
  ): Promise<Validated<Body> | undefined>;
  /** As `get`, but a 404 is an answer: `undefined`. */
  find<Path extends string, Body>(
    operation: Operation<Path, Body>,
    parameters: Parameters<Path>,
  ): Promise<Answer<Body> | undefined>;
  /** About how many requests this poll can still make; more of them may have to wait beyond its deadline. */
  room(): number;
  /**
   * Whether a request of the operation would fail in this poll without being sent, with the reason `gone`: it answered 410
   * in this poll, or twice, a minute apart, which retires it. A single 410 holds for its own poll only: use the replacement
   * in that poll, and ask the operation again in the next one.
   */
  isRetired(operation: Operation): boolean;
  /** Counts a value that the answer should not have held but that is no reason to fail, such as an unknown enum value. */
  noteDrift(operation: Operation, field: string, kind: Drift): void;
}
