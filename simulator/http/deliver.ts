// Sends a response, in the mode that a fault selects.
import type { ServerResponse } from "node:http";
import type { HttpResponse } from "./respond.ts";

/** Options of the delivery of a response. */
export type DeliveryMode =
  | { readonly kind: "whole" }
  | { readonly kind: "late"; readonly seconds: number }
  | { readonly kind: "drip"; readonly seconds: number; readonly bytes: number; readonly stalls: boolean }
  | { readonly kind: "cut"; readonly part: number }
  | { readonly kind: "reset" }
  | { readonly kind: "huge"; readonly bytes: number };

/** A response and how it is sent. */
export interface Delivery {
  readonly response: HttpResponse;
  readonly mode: DeliveryMode;
}

const CHUNK = Buffer.alloc(65_536, " ");

// Sends `bytes` bytes at a time.
function drip(
  out: ServerResponse,
  body: string,
  { seconds, bytes, stalls }: Extract<DeliveryMode, { kind: "drip" }>,
): void {
  const content = Buffer.from(body);
  let sent = 0;
  let timer: NodeJS.Timeout | undefined;
  const next = () => {
    if (out.destroyed) return;
    out.write(content.subarray(sent, sent + bytes));
    sent += bytes;
    if (sent >= content.length) out.end();
    else if (!stalls) timer = setTimeout(next, seconds * 1000);
  };
  out.on("close", () => clearTimeout(timer));
  out.flushHeaders();
  next();
}

// Sends white space before the body, no faster than the client reads: valid JSON, but too large.
function pad(out: ServerResponse, body: string, bytes: number): void {
  let left = bytes;
  const pour = () => {
    while (left > 0 && !out.destroyed) {
      left -= CHUNK.length;
      if (!out.write(CHUNK)) {
        out.once("drain", pour);
        return;
      }
    }
    if (!out.destroyed) out.end(body);
  };
  pour();
}

/** Sends a response. A closed connection cancels its delays. */
export function deliver(out: ServerResponse, { response, mode }: Delivery): void {
  const { status, headers, body } = response;
  switch (mode.kind) {
    case "whole":
      out.writeHead(status, headers).end(body);
      break;
    case "late": {
      const timer = setTimeout(() => out.writeHead(status, headers).end(body), mode.seconds * 1000);
      out.on("close", () => clearTimeout(timer));
      break;
    }
    case "drip":
      drip(out.writeHead(status, headers), body, mode);
      break;
    case "cut": {
      const content = Buffer.from(body);
      out.writeHead(status, { ...headers, "content-length": String(content.length) });
      out.write(content.subarray(0, Math.floor(content.length * mode.part)), () => out.destroy());
      break;
    }
    case "reset":
      out.destroy();
      break;
    case "huge":
      pad(out.writeHead(status, headers), body, mode.bytes);
      break;
  }
}
