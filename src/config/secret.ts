// Secrets, and how they stay secret: a value that does not show itself, and a filter for texts that leave the process.
import { inspect } from "node:util";
import { tokensOf } from "../api/redact.ts";

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

/** Everything about a network that is not to be shown: its key, and what may be a token in the path of its URL. */
export const secretsOf = ({
  apiKey,
  url,
}: {
  readonly apiKey?: Secret | undefined;
  readonly url: string;
}): Secret[] => [...(apiKey === undefined ? [] : [apiKey]), ...tokensOf(url).map((token) => new Secret(token))];

/** Replaces every occurrence of known secrets in a text, also in the forms that URLs, JSON and base64 give them. */
export class Redactor {
  readonly #pattern: RegExp | undefined;

  constructor(secrets: Iterable<Secret>) {
    const forms = new Set([...secrets].flatMap((secret) => formsOf(secret.reveal())));
    // The longest first: a form that is part of another one would leave the rest of that one standing.
    const longestFirst = [...forms].filter((form) => form !== "").sort((a, b) => b.length - a.length);
    this.#pattern = longestFirst.length === 0 ? undefined : new RegExp(longestFirst.map(escapePattern).join("|"), "g");
  }

  /** The text with `***` in place of every secret. */
  mask(text: string): string {
    return this.#pattern === undefined ? text : text.replace(this.#pattern, MASK);
  }
}

const escapePattern = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");

function formsOf(secret: string): string[] {
  if (secret === "") return [];
  const encoded = encodeURIComponent(secret);
  return [
    secret,
    encoded,
    encoded.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    new URLSearchParams([["", secret]]).toString().slice(1),
    JSON.stringify(secret).slice(1, -1),
    ...base64FormsOf(secret),
  ];
}

// Base64 of a longer text that holds the secret, such as `user:secret`, reads differently for each of the three places at
// which the secret can begin. The characters at both ends depend on the neighbours too, and are left out.
function base64FormsOf(secret: string): string[] {
  return [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
    const text = bytes.toString("base64").replace(/=+$/, "");
    const stable = text.slice(Math.ceil((before * 4) / 3), bytes.length % 3 === 0 ? undefined : -1);
    // So short a piece would be found everywhere.
    if (stable.length < 8) return [];
    return [stable, stable.replaceAll("+", "-").replaceAll("/", "_")];
  });
}
