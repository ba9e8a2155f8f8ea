// What each failure reason means in words, and how much of a network one cause of it affects.
import type { Reason } from "../api/errors.ts";

/** How much of a network one cause affects: more failures for the same reason within that scope are the same problem. */
type Scope = "network" | "collector" | "target";

/** For each reason: its meaning on the status page, and the scope of one cause. */
export const REASON_DETAILS: Readonly<Record<Reason, { readonly text: string; readonly scope: Scope }>> = {
  timeout: { text: "the API does not respond in time", scope: "network" },
  network: { text: "the API cannot be reached", scope: "network" },
  rate_limited: { text: "the API limits the request rate", scope: "network" },
  budget: { text: "the request budget is used up", scope: "network" },
  gone: { text: "the operation is retired", scope: "collector" },
  not_found: { text: "the API does not know it", scope: "target" },
  unauthorized: { text: "the API does not accept the key, or requires one", scope: "network" },
  http_client: { text: "the API rejects the request", scope: "collector" },
  http_server: { text: "the API reports a server error", scope: "network" },
  redirect: { text: "the API redirects to another host, or too often", scope: "network" },
  too_large: { text: "the response is too large", scope: "collector" },
  bad_body: { text: "the response does not have the expected form", scope: "collector" },
  behind: { text: "the API is behind the chain", scope: "network" },
  empty: { text: "the API has no block yet", scope: "network" },
  wrong_chain: { text: "the API follows another chain", scope: "network" },
  state: { text: "the state file cannot be written", scope: "network" },
  bug: { text: "a bug in the exporter", scope: "target" },
};
