// Secrets of the configuration, and the redactor that masks them.
import { inspect } from "node:util";
import { MASK, Redactor } from "../api/redact.ts";

/** A value that is never shown: printing, logging or serialising it gives `***`. */
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

/** A server, with or without a key. The path of its URL may contain a token. */
interface Server {
  readonly apiKey?: Secret | undefined;
  readonly url: string;
  readonly outbound?: { readonly proxy: { readonly password: Secret | undefined } | undefined };
}

/** The secrets of servers that a redactor masks: their keys, the passwords of their proxies, and their URLs. */
export const secretsOf = (servers: readonly Server[]): [Secret[], string[]] => [
  servers.flatMap(({ apiKey, outbound }) => [apiKey ?? [], outbound?.proxy?.password ?? []].flat()),
  servers.map(({ url }) => url),
];

/** The redactor for the keys and URLs of servers. */
export const redactorOf = (servers: readonly Server[]): Redactor => new Redactor(...secretsOf(servers));
