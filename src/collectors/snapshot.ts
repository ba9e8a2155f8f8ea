// What the two mempool subjects share: the time their answer was true, and whether the server still moves at all.
import { isDeepStrictEqual } from "node:util";
import type { ApiResponse } from "../api/operation.ts";
import { counter, gauge, type Label, type Sample } from "../exposition/family.ts";

const labels = {
  network: "name of the network",
  operation: { about: "name of the API operation", values: ["mempool_stats", "mempool_fees"] },
} satisfies Record<string, string | Label>;

const snapshotTimestamp = gauge({
  name: "stacks_mempool_snapshot_timestamp_seconds",
  help: "Time when the mempool values of this operation were last received or confirmed unchanged. Unix time.",
  source: "time of the response, polled",
  unit: "seconds",
  labels,
});

const snapshotsChanged = counter({
  name: "stacks_mempool_snapshots_changed_total",
  help: "Polls whose response differed from the previous one. A mempool that never changes indicates a frozen upstream.",
  source: "comparison of responses, polled",
  labels,
});

/** Families that every snapshot emits. */
export const snapshotFamilies = [snapshotTimestamp, snapshotsChanged];

/** The last answer of an operation, and how often it has changed. */
export interface Snapshot<Body> {
  readonly body: Body;
  /** Unix time, milliseconds. */
  readonly receivedAt: number;
  readonly changes: number;
}

/** The next snapshot: the first one counts no change. */
export function advance<Body>(previous: Snapshot<Body> | undefined, answer: ApiResponse<Body>): Snapshot<Body> {
  // Not `answer.changed`: a 304 can confirm an answer that a poll before never got to keep.
  const hasChanged =
    previous !== undefined && previous.body !== answer.body && !isDeepStrictEqual(previous.body, answer.body);
  return { body: answer.body, receivedAt: answer.receivedAt, changes: (previous?.changes ?? 0) + (hasChanged ? 1 : 0) };
}

/** Samples of the snapshot's own families. */
export function* snapshotSamples(
  snapshot: Snapshot<unknown>,
  network: string,
  operation: "mempool_stats" | "mempool_fees",
): Iterable<Sample> {
  yield snapshotTimestamp.at({ network, operation }, snapshot.receivedAt / 1000);
  yield snapshotsChanged.at({ network, operation }, snapshot.changes);
}
