// Checks of every request before a page is rendered: the rate, headers of the web configuration, the host,
// the password.
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { WebConfig } from "../config/web-config.ts";
import type { Refusal } from "../telemetry/self-metrics.ts";
import { isNamed } from "./hosts.ts";
import type { Passwords } from "./passwords.ts";
import type { RequestRate } from "./request-rate.ts";
import { readTarget } from "./request-target.ts";

/** The requests that a guard accepts, and their handler. */
export interface GuardOptions {
  readonly handler: RequestListener;
  /** Accepted names; undefined: every name. */
  readonly names: readonly string[] | undefined;
  /** Undefined where no password is required. */
  readonly passwords: Passwords | undefined;
  /** Undefined where the rate is not limited. */
  readonly rate: RequestRate | undefined;
  readonly headers: () => WebConfig["headers"];
  readonly onRefused: (reason: Refusal) => void;
  readonly onError: (error: unknown) => void;
}

const RETRY_SECONDS = 5;

/** The handler behind its guard. */
export function guarded(options: GuardOptions): RequestListener {
  const { handler, names, passwords, rate, headers, onRefused, onError } = options;
  return (request, response) => {
    const { path, host = request.headers.host } = readTarget(request.url ?? "");
    request.url = path;
    for (const [name, value] of headers()) response.setHeader(name, value);
    const wait = rate?.refusal();
    if (wait !== undefined) {
      onRefused("rate");
      response.setHeader("retry-after", String(wait));
      send(
        response,
        429,
        `More requests than rate_limit of the web configuration allows. Try again in ${wait} seconds.`,
      );
      return;
    }
    if (names !== undefined && !isNamed(host, names)) {
      onRefused("host");
      send(response, 421, `This host name is not accepted: add it to web.allowed_hosts, or use the IP address.`);
      return;
    }
    if (passwords?.isRequired !== true) {
      handler(request, response);
      return;
    }
    passwords
      .check(request.headers.authorization, clientOf(request))
      .then((verdict) => {
        if (verdict === "right") handler(request, response);
        else refuse(verdict);
      })
      .catch((error: unknown) => {
        onError(error);
        send(response, 500, "The password cannot be checked; see the log.");
      });

    function refuse(verdict: "wrong" | "busy"): void {
      onRefused("password");
      if (verdict === "busy") {
        response.setHeader("retry-after", String(RETRY_SECONDS));
        send(response, 503, `Too many passwords are being checked. Try again in ${RETRY_SECONDS} seconds.`);
      } else {
        response.setHeader("www-authenticate", 'Basic realm="stacks-exporter", charset="UTF-8"');
        send(response, 401, "A user and a password are required.");
      }
    }
  };
}

const clientOf = ({ socket }: IncomingMessage) => socket.remoteAddress ?? "";

function send(response: ServerResponse, status: number, text: string): void {
  response.setHeader("x-content-type-options", "nosniff");
  const body = Buffer.from(`${text}\n`);
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8", "content-length": body.length }).end(body);
}
