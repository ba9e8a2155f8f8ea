// Secrets of the configuration, and the redactor that masks them.
import { unescape as decode } from "node:querystring";
import { Redactor } from "../api/redact.ts";

/** A value that printing, logging and serialising never show: only a call returns it. */
export type Secret = () => string;

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
  ...servers.flatMap(({ apiKey, url }) => [apiKey?.() ?? "", ...new URL(url).pathname.split("/")]),
  ...proxyPasswords(),
];

/** The redactor for the keys and URLs of servers. */
export const redactorOf = (servers: readonly Server[]): Redactor => new Redactor(secretsOf(servers));
