// A plain HTTP client, and a simulator with a stopped clock.
import { request } from "node:http";
import { type Simulator, type SimulatorOptions, startSimulator } from "../../simulator/server.ts";

/** A response as received. */
export interface Response {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** Sends a request on its own connection; rejects when the connection breaks. */
export function send(
  url: string,
  options: { readonly method?: string; readonly headers?: Record<string, string> } = {},
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent: false, ...options }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const body = Buffer.concat(chunks).toString("utf8");
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
      });
    });
    sent.on("error", reject).end();
  });
}

/** Virtual and real time in tests: 2026-11-21T00:00:00Z, in Unix seconds. */
export const START = 1_795_219_200;

/** A simulator whose clock is stopped; only `advance` changes its time. */
export function stillSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  return startSimulator({ now: () => START * 1000, ...options });
}

/** The JSON of a response; throws when it is not JSON. */
export function json<Shape>({ body }: Response): Shape {
  return JSON.parse(body) as Shape;
}

/** The transactions below the tip, newest first, with the times of their blocks: they count with two confirmations. */
export const minedBelowTip = ({ chain }: Simulator) =>
  chain.ledger.blocks
    .filter(({ height }) => height < chain.height)
    .flatMap(({ txs, time }) => txs.map((tx) => ({ tx, time })))
    .toReversed();
