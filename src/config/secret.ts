// Secrets of the configuration: values that do not show themselves, and the redactor that knows all of them.
import { inspect } from "node:util";
import { Redactor } from "../api/redact.ts";

const MASK = "***";

/** A value that is sent, and never shown: printing, logging or serialising it gives `***`. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The value itself, for the request that needs it. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return MASK;
  }

  toJSON(): string {
    return MASK;
  }

  [inspect.custom](): string {
    return MASK;
  }
}

/** A place that requests go to: with a key or not, and perhaps with a token in the path of its URL. */
interface Guarded {
  readonly apiKey?: Secret | undefined;
  readonly url: string;
}

/** The redactor for everything that requests are made with. */
export function redactorOf(places: readonly Guarded[]): Redactor {
  return new Redactor(
    places.flatMap(({ apiKey }) => apiKey ?? []),
    places.map(({ url }) => url),
  );
}
