// What a reason for a failure means to a person, and how much of a network it concerns.
import type { Reason } from "../api/errors.ts";

/** The reason in words, for the status page. */
export const REASON_WORDS: Readonly<Record<Reason, string>> = {
  timeout: "the API does not answer in time",
  network: "the API cannot be reached",
  rate_limited: "the API asked to wait",
  budget: "the request budget is used up",
  gone: "the operation is retired",
  not_found: "the API does not know it",
  unauthorized: "the API does not accept the key, or requires one",
  http_client: "the API rejects the request",
  http_server: "the API reports an error of its own",
  redirect: "the API redirects to another host, or too often",
  too_large: "the answer is too large",
  bad_body: "the answer does not have the expected form",
  behind: "the API is behind the chain",
  empty: "the API has no block yet",
  wrong_chain: "the API follows another chain",
  state: "the state file cannot be written",
  bug: "a defect of the exporter",
};

/** What one cause of that reason concerns: the same failure elsewhere within it is no news. */
export const REASON_SCOPE: Readonly<Record<Reason, "network" | "collector" | "target">> = {
  timeout: "network",
  network: "network",
  rate_limited: "network",
  budget: "network",
  gone: "collector",
  not_found: "target",
  unauthorized: "network",
  http_client: "collector",
  http_server: "network",
  redirect: "network",
  too_large: "collector",
  bad_body: "collector",
  behind: "network",
  empty: "network",
  wrong_chain: "network",
  state: "network",
  bug: "target",
};
