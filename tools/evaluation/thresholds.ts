// The type of the fee thresholds with any numbers, so that a search can try others than those of alerts/.
import type { Duration, FEES } from "../../alerts/thresholds.ts";

type Loose<Value> = Value extends number
  ? number
  : Value extends string
    ? Duration
    : Value extends readonly unknown[]
      ? Value
      : { readonly [Key in keyof Value]: Loose<Value[Key]> };

/** Thresholds like those of alerts/thresholds.ts. */
export type FeeThresholds = Loose<typeof FEES>;
