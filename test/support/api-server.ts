// An API on a socket of this machine whose responses come from a function.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { collectors } from "../../src/collectors/index.ts";
import { upstreamOperations } from "../../src/upstreams/check.ts";
import { type Canned, etagOf } from "./canned-api.ts";

/** The response to a request: its path with the query, and the name of its operation (empty if there is none). */
export type Respond = (url: string, operation: string) => Canned;

/** A running server. */
export interface ApiServer extends AsyncDisposable {
  readonly url: string;
  /** Every request, as `operation /path?query`. */
  readonly requests: string[];
}

const OPERATIONS = [...collectors.flatMap(({ operations }) => operations), ...upstreamOperations].map(
  ({ name, path }) => ({ name, pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`) }),
);

const nameOf = (url: string): string => {
  const [path = ""] = url.split("?");
  return OPERATIONS.find(({ pattern }) => pattern.test(path))?.name ?? "";
};

/**
 * Starts a server. A JSON value has the validator of its response, or the id of its newest transaction, and is a 304 if
 * the request has that validator. An error has a body as the API sends it, so that a 404 means that the item does not
 * exist; with `isRouteMissing`, that the server does not know the path.
 */
export async function startApiServer(respond: Respond): Promise<ApiServer> {
  const requests: string[] = [];
  const server = createServer(({ url = "", headers }, response) => {
    const operation = nameOf(url);
    requests.push(`${operation} ${url}`);
    const canned = respond(url, operation);
    response.setHeader("content-type", "application/json");
    if ("status" in canned) {
      const error = canned.isRouteMissing === true ? `Route GET:${url} not found` : `status ${canned.status}`;
      response.writeHead(canned.status).end(JSON.stringify({ error, message: error }));
    } else {
      const etag = canned.etag ?? etagOf(canned.json);
      if (etag !== undefined) response.setHeader("etag", etag);
      if (etag !== undefined && headers["if-none-match"] === etag) response.writeHead(304).end();
      else response.end(JSON.stringify(canned.json));
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
