// Basic authentication. Wrong passwords cost CPU time, so few of them are compared at a time. A password that was right
// is not compared again.
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Bcrypt } from "./bcrypt.ts";

/** The result of a check. `busy`: too many passwords wait to be compared. */
export type Verdict = "right" | "wrong" | "busy";

/** Passwords that wait to be compared, those of one client address included. */
const MAX_WAITING = 32;
const MAX_WAITING_OF_CLIENT = 4;

// No password has this hash. Its cost is that of a user.
const NO_PASSWORD = ".".repeat(53);

/** The users of the HTTP server. */
export class Passwords {
  readonly #bcrypt: Pick<Bcrypt, "compare">;
  #users: ReadonlyMap<string, string> = new Map();
  // Keyed, so that the memory of the process has no plain hash of a password.
  readonly #key = randomBytes(32);
  /** Digest of the last correct password, by user. */
  readonly #known = new Map<string, Buffer>();
  readonly #comparing = new Map<string, Promise<boolean>>();
  readonly #waiting = new Map<string, number>();

  constructor(bcrypt: Pick<Bcrypt, "compare">, users: ReadonlyMap<string, string>) {
    this.#bcrypt = bcrypt;
    this.#users = users;
  }

  /** Whether a password is required. */
  get isRequired(): boolean {
    return this.#users.size > 0;
  }

  /** Replaces the users. A password counts as known only while its user has the same hash. */
  take(users: ReadonlyMap<string, string>): void {
    this.#users = users;
    for (const user of this.#known.keys()) if (!users.has(user)) this.#known.delete(user);
  }

  /** Checks the header `Authorization` of a client. An unknown user takes as long as a wrong password. */
  async check(authorization: string | undefined, client: string): Promise<Verdict> {
    const given = credentialsOf(authorization);
    if (given === undefined) return "wrong";
    const { user, password } = given;
    const hash = this.#users.get(user);
    const digest = createHmac("sha256", this.#key)
      .update(JSON.stringify([user, hash, password]))
      .digest();
    const known = this.#known.get(user);
    if (known !== undefined && timingSafeEqual(known, digest)) return "right";
    const isRight = await this.#compare(password, hash ?? this.#unusedHash(), digest.toString("hex"), client);
    if (isRight === undefined) return "busy";
    if (!isRight || hash === undefined) return "wrong";
    this.#known.set(user, digest);
    return "right";
  }

  async #compare(password: string, hash: string, id: string, client: string): Promise<boolean | undefined> {
    // Scrapes that start at the same time share one comparison.
    const shared = this.#comparing.get(id);
    if (shared !== undefined) return shared;
    const waiting = this.#waiting.get(client) ?? 0;
    if (this.#comparing.size >= MAX_WAITING || waiting >= MAX_WAITING_OF_CLIENT) return undefined;
    const comparing = this.#bcrypt.compare(password, hash);
    this.#comparing.set(id, comparing);
    this.#waiting.set(client, waiting + 1);
    try {
      return await comparing;
    } finally {
      this.#comparing.delete(id);
      const left = (this.#waiting.get(client) ?? 1) - 1;
      if (left === 0) this.#waiting.delete(client);
      else this.#waiting.set(client, left);
    }
  }

  #unusedHash(): string {
    const costs = [...this.#users.values()].map((hash) => hash.slice("$2b$".length, "$2b$10".length));
    return `$2b$${costs.sort().at(-1)}$${NO_PASSWORD}`;
  }
}

function credentialsOf(authorization = ""): { readonly user: string; readonly password: string } | undefined {
  const [, encoded] = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(authorization) ?? [];
  if (encoded === undefined) return undefined;
  const [, user, password] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, "base64").toString("utf8")) ?? [];
  return user === undefined || password === undefined ? undefined : { user, password };
}
