// Secrets of the configuration, and the redactor that masks them.
import { unescape as decode } from "node:querystring";
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
}

// The passwords of the proxies that the environment names. A password may hold any character.
function proxyPasswords(): readonly string[] {
  const { http_proxy, HTTP_PROXY, https_proxy, HTTPS_PROXY } = process.env;
  const written = [http_proxy, HTTP_PROXY, https_proxy, HTTPS_PROXY].flatMap(
    (text) => /^(?:\w+:\/\/)?[^:]*:(.*)@/s.exec(text ?? "")?.[1] ?? [],
  );
  return [...written, ...written.map((text) => decode(text))];
}

/**
 * What a redactor masks of servers: their keys, the passwords of proxies, and the parts of the paths of their URLs,
 * which may be tokens.
 */
export const secretsOf = (servers: readonly Server[]): string[] => [
  ...servers.flatMap(({ apiKey, url }) => [apiKey?.reveal() ?? "", ...new URL(url).pathname.split("/")]),
  ...proxyPasswords(),
];

/** The redactor for the keys and URLs of servers. */
export const redactorOf = (servers: readonly Server[]): Redactor => new Redactor(secretsOf(servers));
