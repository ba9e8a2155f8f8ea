// Failures by cause: an outage that fails a hundred targets is one incident, and one line in the log.

const OF_TARGET = ["not_found", "bug"];
const OF_COLLECTOR = ["gone", "http_client", "too_large", "bad_body", "unsupported", ...OF_TARGET];

/**
 * The cause of a failed poll as a text, which begins with the reason: what fails for one reason within a network, or a
 * collector, has the same. @param target its key, to tell the principals apart that the API does not know
 */
export function causeOf(reason: string, collector: string, target = ""): string {
  const place = OF_TARGET.includes(reason) ? `${collector}/${target}` : collector;
  return OF_COLLECTOR.includes(reason) ? `${reason} ${place}` : reason;
}

/** The part of a logger that polls need. */
export type PollLog = Readonly<Record<"debug" | "info" | "warn", (fields: object, message: string) => void>>;

/** The incidents of one network. */
export class Incidents {
  /** The causes of the targets and API clients that fail now. */
  readonly #causes = new Map<object, string>();

  /** Something fails for a cause; true when this is a new incident. */
  begin(holder: object, cause: string): boolean {
    const isNew = !this.#isOpen(cause);
    this.#causes.set(holder, cause);
    return isNew;
  }

  /** Removes what has recovered or is no longer polled. Returns the reason if this ends the incident. */
  end(holder: object): { readonly reason: string } | undefined {
    const cause = this.#causes.get(holder);
    this.#causes.delete(holder);
    return cause === undefined || this.#isOpen(cause) ? undefined : { reason: cause.split(" ")[0] as string };
  }

  /** Ends the whole incident of a holder: what fails for its cause from now on is a new one. Returns the reason. */
  close(holder: object): { readonly reason: string } | undefined {
    const cause = this.#causes.get(holder);
    for (const [one, of] of [...this.#causes]) if (of === cause) this.#causes.delete(one);
    return cause === undefined ? undefined : { reason: cause.split(" ")[0] as string };
  }

  #isOpen(cause: string): boolean {
    return [...this.#causes.values()].includes(cause);
  }
}
