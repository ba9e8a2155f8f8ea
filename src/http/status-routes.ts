// What / and /api/v1/status answer: the same, for people and for programs.
import type { IncomingMessage } from "node:http";
import type { Selection, Status } from "../telemetry/status.ts";
import type { Answer } from "./deliveries.ts";
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

/** The page. */
export function statusPageAnswer(view: StatusView, request: IncomingMessage): Answer {
  return withSelection(view, request, {
    onSelection: (selection) => answerWith(200, "text/html", statusPage(answer(view, selection), selection)),
    onMistake: (message) => answerWith(400, "text/plain", `${message}\n`),
  });
}

/** The status as JSON. */
export function statusJsonAnswer(view: StatusView, request: IncomingMessage): Answer {
  const json = (status: number, value: object) => answerWith(status, "application/json", `${JSON.stringify(value)}\n`);
  return withSelection(view, request, {
    onSelection: (selection) => json(200, answer(view, selection)),
    onMistake: (message) => json(400, { error: message }),
  });
}

const answer = (view: StatusView, selection: Selection) =>
  answerOf(view.statusOf(selection), view.program, (text) => view.mask(text));

interface Outcomes {
  readonly onSelection: (selection: Selection) => Answer;
  readonly onMistake: (message: string) => Answer;
}

function withSelection(view: StatusView, { url = "/" }: IncomingMessage, outcomes: Outcomes): Answer {
  const [, query = ""] = /\?(.*)$/s.exec(url) ?? [];
  let selection: Selection;
  try {
    selection = readSelection(new URLSearchParams(query), view.known);
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    return outcomes.onMistake(view.mask(error.message));
  }
  return outcomes.onSelection(selection);
}

function answerWith(status: number, type: string, text: string): Answer {
  return {
    status,
    headers: {
      "content-type": `${type}; charset=utf-8`,
      "content-security-policy": PAGE_POLICY,
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
    },
    body: Buffer.from(text),
  };
}
