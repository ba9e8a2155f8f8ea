// Secrets of the configuration, and the redactor that masks them.
import { unescape as decode } from "node:querystring";
import { Redactor } from "../api/redact.ts";

/** A value that printing, logging and serialising never show: only a call returns it. */
export type Secret = () => string;

/** The servers of a network, with or without keys. The paths of their URLs may contain tokens. */
interface Servers {
  readonly name: string;
  readonly upstreams: readonly { readonly apiKey?: Secret | undefined; readonly url: string }[];
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
 * What a redactor masks of networks: the keys of their servers, the passwords of proxies, and the parts of the paths of
 * URLs, which may be tokens. The name of a network is none.
 */
export function secretsOf(networks: readonly Servers[]): string[] {
  const names = new Set(networks.map(({ name }) => name));
  const servers = networks.flatMap(({ upstreams }) => upstreams);
  const parts = servers.flatMap(({ url }) => new URL(url).pathname.split("/")).filter((part) => !names.has(part));
  return [...servers.map(({ apiKey }) => apiKey?.() ?? ""), ...parts, ...proxyPasswords()];
}

/** The redactor for the servers of networks. */
export const redactorOf = (networks: readonly Servers[]): Redactor => new Redactor(secretsOf(networks));
