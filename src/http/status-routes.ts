// What / and /api/v1/status answer: the same, for people and for programs.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Selection, Status } from "../poll/status.ts";
import { answerOf, type Program } from "./status-answer.ts";
import { statusPage } from "./status-page.ts";
import { type Known, QueryError, readSelection } from "./status-query.ts";
import { PAGE_POLICY } from "./status-style.ts";

/** What the status is made of. */
export interface StatusView {
  readonly program: Program;
  /** What a query may name. */
  readonly known: Known;
  readonly statusOf: (selection: Selection) => Status;
  /** Replaces every secret in a text. */
  readonly mask: (text: string) => string;
}

/** Answers with the page. */
export function sendStatusPage(view: StatusView, request: IncomingMessage, response: ServerResponse): void {
  withSelection(view, request, {
    onSelection: (selection) => send(response, 200, "text/html", statusPage(answer(view, selection), selection)),
    onMistake: (message) => send(response, 400, "text/plain", `${message}\n`),
  });
}

/** Answers with JSON. */
export function sendStatusJson(view: StatusView, request: IncomingMessage, response: ServerResponse): void {
  const json = (status: number, value: object) =>
    send(response, status, "application/json", `${JSON.stringify(value)}\n`);
  withSelection(view, request, {
    onSelection: (selection) => json(200, answer(view, selection)),
    onMistake: (message) => json(400, { error: message }),
  });
}

const answer = (view: StatusView, selection: Selection) =>
  answerOf(view.statusOf(selection), view.program, (text) => view.mask(text));

interface Outcomes {
  readonly onSelection: (selection: Selection) => void;
  readonly onMistake: (message: string) => void;
}

function withSelection(view: StatusView, { url = "/" }: IncomingMessage, { onSelection, onMistake }: Outcomes): void {
  const [, query = ""] = /\?(.*)$/s.exec(url) ?? [];
  let selection: Selection;
  try {
    selection = readSelection(new URLSearchParams(query), view.known);
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    onMistake(view.mask(error.message));
    return;
  }
  onSelection(selection);
}

function send(response: ServerResponse, status: number, type: string, text: string): void {
  const body = Buffer.from(text);
  response.writeHead(status, {
    "content-type": `${type}; charset=utf-8`,
    "content-length": body.length,
    "content-security-policy": PAGE_POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
  });
  response.end(body);
}
