// The target of a request line. Clients that take the exporter for a proxy send the absolute form.

/** The target in the origin form, and the host that an absolute form names. */
export interface RequestTarget {
  /** Path and query, without white space or a fragment. */
  readonly path: string;
  /** `host` or `host:port`; undefined when the header `Host` has it. */
  readonly host: string | undefined;
}

/**
 * Reads a target. Express passes everything but plain paths to `url.parse`, which is deprecated: Node.js would write a
 * warning to the log that is not JSON.
 */
export function readTarget(target: string): RequestTarget {
  if (!/^https?:\/\//i.test(target) || !URL.canParse(target)) return { path: plainPath(target), host: undefined };
  const { pathname, search, host } = new URL(target);
  return { path: plainPath(`${pathname}${search}`), host };
}

function plainPath(text: string): string {
  const path = text.replace(/#.*/s, "").replace(/\s/g, encodeURIComponent);
  return path.startsWith("/") ? path : `/${path}`;
}
