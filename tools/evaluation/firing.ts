// From a condition to an alert, as Prometheus goes: pending, firing, kept firing. One evaluation a minute.
import { type Span, spansWhere } from "./truth.ts";

/** Minutes that an alert waits before it fires, and goes on after its condition has ended. */
export interface Patience {
  readonly forMinutes: number;
  readonly keepMinutes: number;
}

/** When an alert fires whose expression gives a result in the minutes in which `holds` is true. */
export function firing(
  minutes: number,
  holds: (minute: number) => boolean,
  { forMinutes, keepMinutes }: Patience,
): Span[] {
  let activeAt: number | undefined;
  let keptSince: number | undefined;
  let isFiring = false;
  return spansWhere(minutes, (minute) => {
    if (holds(minute)) {
      activeAt ??= minute;
      keptSince = undefined;
      if (minute - activeAt >= forMinutes) isFiring = true;
    } else {
      if (isFiring) keptSince ??= minute;
      if (keptSince === undefined || minute - keptSince >= keepMinutes) {
        isFiring = false;
        activeAt = undefined;
        keptSince = undefined;
      }
    }
    return isFiring;
  });
}
