// Numbers as the text formats want them: as text, and written straight into bytes.

/** A number as both formats want it. NaN is refused: absent data has no sample. */
export function formatValue(value: number | bigint): string {
  if (typeof value === "bigint" || Number.isFinite(value)) return String(value);
  if (Number.isNaN(value)) throw new RangeError("NaN is not a value: leave the sample out");
  return value > 0 ? "+Inf" : "-Inf";
}

/** The bound of a bucket; a canonical float ("1.0") in both formats, so that changing format does not change series. */
export function formatBound(bound: number): string {
  if (bound === Number.POSITIVE_INFINITY) return "+Inf";
  const text = String(bound);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

const BILLION = 1_000_000_000;

/** Whether a value is a whole number that can be written digit by digit. */
export const isCounting = (value: number | bigint): value is number =>
  typeof value === "number" && value >= 0 && value <= Number.MAX_SAFE_INTEGER && Number.isInteger(value);

/** How many digits a whole number has. */
export function digitsOf(value: number): number {
  let digits = 1;
  for (let limit = 10; limit <= value; limit *= 10) digits += 1;
  return digits;
}

function writeDigits(value: number, target: Buffer, from: number, to: number): void {
  let rest = value | 0;
  for (let place = to - 1; place >= from; place -= 1) {
    const tenth = (rest / 10) | 0;
    target[place] = 48 + rest - tenth * 10;
    rest = tenth;
  }
}

/** Writes a whole number into exactly the given place; in two halves, because each then is a 32-bit integer. */
export function writeWhole(value: number, target: Buffer, from: number, to: number): void {
  if (value < BILLION) writeDigits(value, target, from, to);
  else {
    const high = Math.floor(value / BILLION);
    writeDigits(value - high * BILLION, target, to - 9, to);
    writeDigits(high, target, from, to - 9);
  }
}
