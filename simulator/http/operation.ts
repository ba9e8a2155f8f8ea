// The definition of an operation: its path, how it parses a request, and how it responds.
import type { MempoolStatistics } from "../chain/mempool-statistics.ts";
import type { View } from "../chain/records.ts";
import type { JsonResponse } from "./http-error.ts";

/** The input of a response. `chain` is the view of the replica that responds. */
export interface ServerState {
  readonly chain: View;
  readonly statistics: () => MempoolStatistics;
  /** The database does not respond. */
  readonly isDown: boolean;
}

/** The parameters of a request: parts of the path by name, and the query. */
export interface Parameters {
  readonly path: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
}

interface Properties {
  /** Path with parameters in braces. */
  readonly template: string;
  readonly isDeprecated?: boolean;
  /** Responds even while the database is down. */
  readonly needsNoDatabase?: boolean;
}

/** An operation; `Input` are its parsed parameters. */
export interface Definition<Input> extends Properties {
  /** Parses the parameters. Throws a 400. */
  readonly parse: (parameters: Parameters) => Input;
  /** The entity tag, without quotes; undefined when the response cannot be cached. */
  readonly tag: (chain: View, input: Input) => string | undefined;
  /** Responds or throws an HttpError. */
  readonly respond: (state: ServerState, input: Input) => JsonResponse;
}

/** An operation that hides the type of its input. */
export interface Operation extends Properties {
  readonly pattern: RegExp;
  readonly parse: (parameters: Parameters) => {
    readonly tag: (chain: View) => string | undefined;
    readonly respond: (state: ServerState) => JsonResponse;
  };
}

/** A pattern for paths without query. `*` matches anything; `{name}` captures one part of the path. */
export function pathPattern(path: string): RegExp {
  const escaped = path.replace(/[.+?^$()|[\]\\]/g, "\\$&").replaceAll("*", ".*");
  return new RegExp(`^${escaped.replace(/\{\w+\}/g, "([^/]+)")}$`);
}

export function operation<Input>({ parse, tag, respond, ...properties }: Definition<Input>): Operation {
  return {
    ...properties,
    pattern: pathPattern(properties.template),
    parse(parameters) {
      const input = parse(parameters);
      return { tag: (chain) => tag(chain, input), respond: (state) => respond(state, input) };
    },
  };
}
