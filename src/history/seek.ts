// Finds the height of the chain at a time of the past with few requests, so that newer blocks need not be read.
import type { Point } from "../collectors/transactions/baseline.ts";

// Blocks of an hour are two or three pages more than necessary.
const CLOSE_SECONDS = 3600;
const MAX_REQUESTS = 10;
const TYPICAL_BLOCK_SECONDS = 10;

/**
 * A point that is later than a time, by an hour if possible; undefined if the tip is that close, or nothing is closer.
 * @param time Unix time in seconds
 * @param pointAt reads the newest point at or below a height; undefined if there is none
 */
export async function pointAfter(
  time: number,
  tip: Point,
  pointAt: (height: number) => Promise<Point | undefined>,
): Promise<Point | undefined> {
  let after = tip;
  let before: Point | undefined;
  for (let requests = 0; requests < MAX_REQUESTS && after.at - time > CLOSE_SECONDS; requests += 1) {
    const rate = before === undefined ? TYPICAL_BLOCK_SECONDS : (after.at - before.at) / (after.height - before.height);
    // Half an hour later than the time, and between the known points.
    const guess = Math.round(after.height - (after.at - time - CLOSE_SECONDS / 2) / rate);
    const height = Math.min(after.height - 1, Math.max(guess, (before?.height ?? 0) + 1));
    const point = await pointAt(height);
    if (point === undefined || height <= (before?.height ?? 0)) break;
    if (point.at > time) after = point;
    else before = point;
  }
  return after === tip ? undefined : after;
}
