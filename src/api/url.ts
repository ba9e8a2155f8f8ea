// The URL of a request.
import { ApiError } from "./errors.ts";
import type { Operation, Parameters } from "./operation.ts";

/**
 * The URL of an operation below the base URL, whose path is kept as a prefix.
 * @throws ApiError `bug` when a path parameter is missing or invalid, or would change the path instead of filling its
 * place.
 */
export function requestUrl<Path extends string>(
  base: URL,
  operation: Operation<Path>,
  parameters: Parameters<Path>,
): URL {
  const values: Readonly<Record<string, string | number>> = parameters.path;
  const path = operation.path.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => {
    const value = Object.hasOwn(values, name) ? String(values[name]) : "";
    // Encoding leaves dots alone, and a URL resolves them away.
    if (value === "" || value === "." || value === ".." || !value.isWellFormed()) {
      throw new ApiError("bug", operation.name, `no usable value for {${name}}`);
    }
    return encodeURIComponent(value);
  });
  const url = new URL(base);
  url.pathname = base.pathname.replace(/\/+$/, "") + path;
  url.search = "";
  url.hash = "";
  for (const [name, value] of Object.entries(parameters.query ?? {})) url.searchParams.append(name, String(value));
  return url;
}
