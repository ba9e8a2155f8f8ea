// Memory of pages, used again. A page of a large watch list has many megabytes; taking them fresh from the system for every
// change costs as much time as filling them, and leaves the old ones lying about until the garbage collector comes.

// For the page to come; those of the two formats are seldom made at the same time.
const MOST_SPARES = 1;
// Small ones are cheap to come by.
const SMALLEST = 1024 * 1024;

/** Buffers that nobody reads any more. */
export class BufferPool {
  readonly #spares: Buffer[] = [];

  /** A buffer of at least that many bytes, with anything in it. */
  take(bytes: number): Buffer {
    const found = this.#spares.findIndex(({ length }) => length >= bytes && length <= bytes * 1.25);
    const [spare] = found < 0 ? [] : this.#spares.splice(found, 1);
    return spare ?? Buffer.allocUnsafeSlow(bytes);
  }

  /** Gives a buffer back. Whoever does must be the last who reads it. */
  give(buffer: Buffer): void {
    if (buffer.length < SMALLEST) return;
    this.#spares.push(buffer);
    if (this.#spares.length > MOST_SPARES) this.#spares.shift();
  }
}
