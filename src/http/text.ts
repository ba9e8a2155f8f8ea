// Short answers in plain text.
import type { ServerResponse } from "node:http";

/** Answers with a line, or a few. */
export function sendText(response: ServerResponse, status: number, text: string): void {
  const body = Buffer.from(`${text}\n`);
  response.writeHead(status, {
    "content-type": "text/plain; charset=utf-8",
    "content-length": body.length,
    "x-content-type-options": "nosniff",
  });
  response.end(body);
}
