// The age of mempool responses, and whether they change: shared by the collectors `fees` and `mempool`.
import { isDeepStrictEqual } from "node:util";
import type { ApiResponse } from "../api/operation.ts";
import { counter, type Label, type Sample } from "../exposition/family.ts";

const labels = {
  network: "name of the network",
  operation: { about: "name of the API operation", values: ["mempool_stats", "mempool_fees"] },
} satisfies Record<string, string | Label>;

const snapshotsChanged = counter({
  name: "stacks_mempool_snapshots_changed_total",
  help: "Polls whose response differed from the previous one. A mempool without changes indicates a frozen upstream.",
  source: "comparison of responses, polled",
  labels,
});

/** Families of every snapshot. */
export const snapshotFamilies = [snapshotsChanged];

/** The last response of an operation, and how often it has changed. */
export interface Snapshot<Body> {
  readonly body: Body;
  readonly changes: number;
}

/** The next snapshot. The first one counts no change. */
export function advance<Body>(previous: Snapshot<Body> | undefined, response: ApiResponse<Body>): Snapshot<Body> {
  // Not `response.changed`: a 304 can confirm the response of a poll that failed later.
  const hasChanged =
    previous !== undefined && previous.body !== response.body && !isDeepStrictEqual(previous.body, response.body);
  return {
    body: response.body,
    changes: (previous?.changes ?? 0) + (hasChanged ? 1 : 0),
  };
}

/** Samples of a snapshot. */
export function* snapshotSamples(
  snapshot: Snapshot<unknown>,
  network: string,
  operation: "mempool_stats" | "mempool_fees",
): Iterable<Sample> {
  yield snapshotsChanged.at({ network, operation }, snapshot.changes);
}
