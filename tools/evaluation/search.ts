// Binary search.

/** The first index of an ascending list from which on `holds` is true; `length` if it never is. */
export function firstIndex(length: number, holds: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The place of a value in an ascending list: that of the first equal or greater one. */
export const placeOf = (sorted: ArrayLike<number>, value: number): number =>
  firstIndex(sorted.length, (index) => (sorted[index] as number) >= value);
