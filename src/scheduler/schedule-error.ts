/** A text is no schedule. The message is what was expected instead, ready to follow the word "expected". */
export class ScheduleError extends Error {
  override readonly name = "ScheduleError";
}
