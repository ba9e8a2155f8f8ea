// Reads history from the HTTP API of a Prometheus.
import { z } from "zod";
import { systemClock, withTimeout } from "../api/clock.ts";
import { Transport } from "../api/transport.ts";
import { shorten } from "../config/errors.ts";
import { CommandError } from "./io.ts";

/** Labels of a series. */
export type Labels = Readonly<Record<string, string>>;

/** A series of a range query: Unix seconds and values. */
export interface RangeSeries {
  readonly metric: Labels;
  readonly values: readonly (readonly [at: number, value: string])[];
}

const CONNECT_TIMEOUT_MS = 10_000;
// Prometheus gives up after two minutes by default.
const TIMEOUT_MS = 150_000;
const MAX_BYTES = 256 * 1024 * 1024;

const labels = z.record(z.string(), z.string());
const responseOf = <Data extends z.ZodType>(data: Data) => z.object({ status: z.literal("success"), data });
const MATRIX = responseOf(
  z.object({ result: z.array(z.object({ metric: labels, values: z.array(z.tuple([z.number(), z.string()])) })) }),
);
const SERIES = responseOf(z.array(labels));
const REFUSAL = z.object({ status: z.literal("error"), errorType: z.string(), error: z.string() });

/** The API of one server. Messages contain its host only: the URL may hold a password. */
export class PrometheusApi {
  readonly #base: URL;
  readonly #authorization: Readonly<Record<string, string>>;
  readonly #signal: AbortSignal;
  readonly #transport = new Transport(1, CONNECT_TIMEOUT_MS, MAX_BYTES);

  /** @throws CommandError when the address is not a URL */
  constructor(address: string, signal: AbortSignal) {
    const base = URL.parse(address);
    if (base === null || !/^https?:$/.test(base.protocol)) {
      throw new CommandError("--prometheus: expected a URL such as http://localhost:9090");
    }
    this.#base = base;
    this.#authorization = base.username === "" ? {} : { authorization: basicOf(base) };
    this.#signal = signal;
  }

  /** Values of an expression at every step. Times in Unix seconds. */
  async range(query: string, start: number, end: number, step: number): Promise<readonly RangeSeries[]> {
    const { result } = await this.#get("query_range", MATRIX, { query, start, end, step });
    return result;
  }

  /** Labels of the series that a selector finds between two times. */
  series(selector: string, start: number, end: number): Promise<readonly Labels[]> {
    return this.#get("series", SERIES, { "match[]": selector, start, end });
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  async #get<Data extends z.ZodType>(
    path: string,
    schema: z.ZodObject<{ status: z.ZodLiteral<"success">; data: Data }>,
    parameters: Readonly<Record<string, string | number>>,
  ): Promise<z.output<Data>> {
    const url = new URL(`${this.#base.pathname.replace(/\/+$/, "")}/api/v1/${path}`, this.#base.origin);
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, String(value));
    const response = await withTimeout(systemClock, TIMEOUT_MS, this.#signal, (signal) =>
      this.#transport.get(url, this.#authorization, signal),
    );
    if (this.#signal.aborted) throw new CommandError("stopped before the history was read");
    const fail = (text: string) => new CommandError(`Prometheus at ${url.host} cannot be read: ${text}`);
    if ("reason" in response) throw fail(`${response.reason}: ${response.message}`);
    const body = jsonOf(response.body);
    const read = schema.safeParse(body);
    if (response.status === 200 && read.success) return (read.data as { data: z.output<Data> }).data;
    const refusal = REFUSAL.safeParse(body);
    if (refusal.success) {
      throw fail(`${path} responds ${response.status}, ${refusal.data.errorType}: ${shorten(refusal.data.error, 200)}`);
    }
    throw fail(`${path} responds ${response.status}${ADVICE[response.status] ?? " without a result of its API"}`);
  }
}

function basicOf({ username, password }: URL): string {
  try {
    const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return `Basic ${Buffer.from(pair).toString("base64")}`;
  } catch {
    throw new CommandError("--prometheus: the user or the password has a % that is not followed by two digits");
  }
}

const ADVICE: Readonly<Record<number, string>> = {
  401: ": give a user and a password as http://user:password@host",
  403: ": the user may not read",
  404: ": if Prometheus has a path prefix, it is part of the URL",
};

function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
