// What the query of a status asks for. Whoever mistypes a parameter is told, and never shown something else instead.
import { type Selection, TARGET_STATES, type TargetState } from "../telemetry/status.ts";

/** A query that cannot be answered; the message says what was expected and what was found. */
export class QueryError extends Error {
  override readonly name = "QueryError";
}

/** What parameters may name. */
export interface Known {
  readonly networks: readonly string[];
  readonly collectors: readonly string[];
}

/** Targets per page when nobody says, and at most. */
export const LIMIT = { usual: 100, most: 1000 } as const;

const PARAMETERS = ["network", "collector", "state", "q", "page", "limit"] as const;
const LONGEST_TEXT = 200;
const LAST_PAGE = 1_000_000;

/**
 * Reads a query such as `collector=addresses&state=degraded&q=treasury&page=2`. What is empty, as the fields of a form are
 * that nobody filled in, does not restrict.
 * @throws QueryError
 */
export function readSelection(query: URLSearchParams, known: Known): Selection {
  for (const name of new Set(query.keys())) {
    if (!PARAMETERS.some((parameter) => parameter === name)) {
      throw new QueryError(`expected the parameters ${PARAMETERS.join(", ")}, found ${quote(name)}`);
    }
    if (query.getAll(name).length > 1) throw new QueryError(`expected ${name} once, found it more than once`);
  }
  const given = (name: (typeof PARAMETERS)[number]) => query.get(name)?.trim() || undefined;
  const text = given("q");
  if (text !== undefined && text.length > LONGEST_TEXT) {
    throw new QueryError(`expected q of at most ${LONGEST_TEXT} characters, found ${text.length}`);
  }
  return {
    network: oneOf("network", given("network"), known.networks),
    collector: oneOf("collector", given("collector"), known.collectors),
    state: oneOf<TargetState>("state", given("state"), TARGET_STATES),
    text,
    page: whole("page", given("page"), LAST_PAGE) ?? 1,
    limit: whole("limit", given("limit"), LIMIT.most) ?? LIMIT.usual,
  };
}

function oneOf<Word extends string>(name: string, text: string | undefined, words: readonly Word[]): Word | undefined {
  if (text === undefined) return undefined;
  const word = words.find((candidate) => candidate === text);
  if (word === undefined) throw new QueryError(`expected ${name} as one of ${words.join(", ")}, found ${quote(text)}`);
  return word;
}

function whole(name: string, text: string | undefined, most: number): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d{1,7}$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > most) {
    throw new QueryError(`expected ${name} as a whole number from 1 to ${most}, found ${quote(text)}`);
  }
  return value;
}

const quote = (text: string) => JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);

/** The query of a selection, with changes; the first page is not named. Empty when nothing restricts. */
export function queryOf(selection: Selection, changes: Partial<Selection> = {}): string {
  const { network, collector, state, text, page, limit } = { ...selection, ...changes };
  const entries: readonly [string, string | undefined][] = [
    ["network", network],
    ["collector", collector],
    ["state", state],
    ["q", text],
    ["page", page === 1 ? undefined : String(page)],
    ["limit", limit === LIMIT.usual ? undefined : String(limit)],
  ];
  return new URLSearchParams(entries.filter((entry): entry is [string, string] => entry[1] !== undefined)).toString();
}
