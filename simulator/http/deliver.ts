// Puts a reply on the wire, in the manner that a fault asks for.
import type { ServerResponse } from "node:http";
import type { Delivery } from "../faults/corrupt.ts";
import type { Reply } from "./respond.ts";
import type { Timers } from "./timers.ts";

const CHUNK = Buffer.alloc(65_536, " ");

function whole(response: ServerResponse, { status, headers, body }: Reply): void {
  response.writeHead(status, headers).end(body);
}

function drip(
  response: ServerResponse,
  { status, headers, body }: Reply,
  { seconds, bytes, stalls }: { readonly seconds: number; readonly bytes: number; readonly stalls: boolean },
  timers: Timers,
): void {
  const content = Buffer.from(body);
  response.writeHead(status, headers);
  response.flushHeaders();
  let sent = 0;
  let cancel = () => {};
  const next = () => {
    if (response.destroyed) return;
    response.write(content.subarray(sent, sent + bytes));
    sent += bytes;
    if (sent >= content.length) response.end();
    else if (!stalls) cancel = timers.after(seconds, next);
  };
  response.on("close", () => cancel());
  next();
}

function cut(response: ServerResponse, { status, headers, body }: Reply, part: number): void {
  const content = Buffer.from(body);
  response.writeHead(status, { ...headers, "content-length": String(content.length) });
  response.write(content.subarray(0, Math.floor(content.length * part)), () => response.destroy());
}

// White space before the body: valid JSON for whoever has the patience, written no faster than it is read.
function huge(response: ServerResponse, { status, headers, body }: Reply, bytes: number): void {
  response.writeHead(status, headers);
  let left = bytes;
  const pour = () => {
    while (left > 0 && !response.destroyed) {
      left -= CHUNK.length;
      if (!response.write(CHUNK)) {
        response.once("drain", pour);
        return;
      }
    }
    if (!response.destroyed) response.end(body);
  };
  pour();
}

/** Sends the reply. Delays belong to `timers`, so that closing the server ends them. */
export function deliver(response: ServerResponse, { reply, manner }: Delivery, timers: Timers): void {
  switch (manner.kind) {
    case "whole":
      whole(response, reply);
      break;
    case "late":
      response.on(
        "close",
        timers.after(manner.seconds, () => whole(response, reply)),
      );
      break;
    case "drip":
      drip(response, reply, manner, timers);
      break;
    case "cut":
      cut(response, reply, manner.part);
      break;
    case "reset":
      response.destroy();
      break;
    case "huge":
      huge(response, reply, manner.bytes);
      break;
  }
}
