// What an operation is to the server: a path, how it reads a request, and what it answers.
import type { MempoolStatistics } from "../chain/mempool-statistics.ts";
import type { View } from "../chain/records.ts";
import type { Answer } from "./http-error.ts";

/** What operations can look at. `chain` is what the answering replica knows. */
export interface World {
  readonly chain: View;
  readonly statistics: () => MempoolStatistics;
  /** The database does not answer. */
  readonly isDown: boolean;
}

/** A request as an operation sees it: the parts of the path by name, and the query. */
export interface Asked {
  readonly path: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
}

/** One operation; `Input` is what it understood of the request. */
export interface Definition<Input> {
  /** Path with parameters in braces. */
  readonly template: string;
  readonly isDeprecated?: boolean;
  /** Answers even while the database is down. */
  readonly needsNoDatabase?: boolean;
  /** Understands the request or throws a 400. */
  readonly read: (asked: Asked) => Input;
  /** The entity tag, without quotes; undefined when the answer cannot be cached. */
  readonly tag: (chain: View, input: Input) => string | undefined;
  /** Answers or throws a problem. */
  readonly answer: (world: World, input: Input) => Answer;
}

/** A definition whose input is nobody else's business. */
export interface Operation {
  readonly template: string;
  readonly isDeprecated: boolean;
  readonly needsNoDatabase: boolean;
  readonly pattern: RegExp;
  readonly understand: (asked: Asked) => {
    readonly tag: (chain: View) => string | undefined;
    readonly answer: (world: World) => Answer;
  };
}

/** The path of a template as a regular expression with named groups. */
export function patternOf(template: string): RegExp {
  const escaped = template.replace(/[.]/g, "\\.").replace(/\{(\w+)\}/g, "(?<$1>[^/]+)");
  return new RegExp(`^${escaped}$`);
}

/** Makes an operation of its definition. */
export function operation<Input>(definition: Definition<Input>): Operation {
  const { template, isDeprecated = false, needsNoDatabase = false, read, tag, answer } = definition;
  return {
    template,
    isDeprecated,
    needsNoDatabase,
    pattern: patternOf(template),
    understand(asked) {
      const input = read(asked);
      return { tag: (chain) => tag(chain, input), answer: (world) => answer(world, input) };
    },
  };
}

/** A page of a list kept oldest first, newest first; empty past the end. */
export function newestFirst<Entry>(entries: readonly Entry[], offset: number, limit: number): Entry[] {
  const end = Math.max(0, entries.length - offset);
  return entries.slice(Math.max(0, end - limit), end).reverse();
}
