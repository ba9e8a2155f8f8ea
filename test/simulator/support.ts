// The plainest client there is: what is tested here is the other side.
import { request } from "node:http";
import type { Simulator, SimulatorOptions } from "../../simulator/server.ts";
import { startSimulator } from "../../simulator/server.ts";

/** An answer as it came over the wire. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** A request with a connection of its own; rejects when the connection breaks. */
export function ask(
  url: string,
  options: { readonly method?: string; readonly headers?: Record<string, string>; readonly signal?: AbortSignal } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { agent: false, ...options }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const body = Buffer.concat(chunks).toString("utf8");
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
      });
    });
    asked.on("error", reject).end();
  });
}

/** Virtual and real time in tests: 2026-11-21T00:00:00Z, in Unix seconds. */
export const START = 1_795_219_200;

/** A simulator whose clock stands still; time moves by `advance`. */
export function stillSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  return startSimulator({ now: () => START * 1000, ...options });
}

/** The JSON of an answer; fails the test when it is not JSON. */
export function json<Shape>({ body }: Answer): Shape {
  return JSON.parse(body) as Shape;
}
