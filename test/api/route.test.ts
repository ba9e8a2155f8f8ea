// Connections through a real forward proxy.
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { proxyError, Transport } from "../../src/api/transport.ts";
import { ForwardProxy } from "../support/forward-proxy.ts";
import { ScriptedServer } from "./scripted-server.ts";

let server: ScriptedServer;
beforeEach(async () => {
  server = await ScriptedServer.start((response, { url }) => response.end(`path ${url}`));
});
afterEach(() => server.close());

/** Runs `what` with these variables in the environment. */
function withVariables<Of>(variables: Readonly<Record<string, string>>, what: () => Of): Of {
  const before = process.env;
  process.env = { ...before, ...variables };
  try {
    return what();
  } finally {
    process.env = before;
  }
}

/** Gets a URL with the proxy, and the hosts that are requested without it, in the environment. */
async function get(url: string, HTTP_PROXY: string, NO_PROXY = "") {
  const transport = withVariables({ HTTP_PROXY, NO_PROXY }, () => new Transport(2));
  const response = await transport.get(new URL(url), {}, new AbortController().signal, 10_000);
  await transport.close();
  return "reason" in response ? response : { status: response.status, body: response.body.toString() };
}

describe("a forward proxy", () => {
  test("gets the absolute URL of plain HTTP, and the server its own host", async () => {
    await using proxy = await ForwardProxy.start();
    const url = `http://api.example:${server.port}/a?b=c`;

    expect(await get(url, proxy.url)).toEqual({ status: 200, body: "path /a?b=c" });
    expect(proxy.seen).toEqual([`GET ${url}`]);
    expect(server.seen.map(({ headers }) => headers.host)).toEqual([new URL(url).host]);
  });

  test.each([
    ["api.example", "", true],
    ["api.example", "other.example", true],
    ["127.0.0.1", "", false],
    ["127.0.0.1", "other.example", false],
    ["localhost", "*", false],
  ])("for %s, except for %j, is used: %p", async (host, noProxy, isUsed) => {
    await using proxy = await ForwardProxy.start();
    const url = `http://${host}:${server.port}/`;

    expect(await get(url, proxy.url, noProxy)).toMatchObject({ status: 200 });
    expect(proxy.seen).toHaveLength(isUsed ? 1 : 0);
  });

  test("gets its user and password, also with escaped characters", async () => {
    await using proxy = await ForwardProxy.start("user:p%40ss%3Aword");
    const url = `http://api.example:${server.port}/`;

    expect(await get(url, proxy.url)).toMatchObject({ status: 200 });
  });

  test("gets the name of an https server, and none of its data", async () => {
    await using proxy = await ForwardProxy.start();
    const target = `api.example:${server.port}`;

    expect(await get(`https://${target}/a`, proxy.url)).toMatchObject({ reason: "network" });
    expect(proxy.seen).toEqual([`CONNECT ${target}`]);
  });

  test("that cannot be reached fails without its password", async () => {
    const proxy = await ForwardProxy.start("user:planted-password");
    const { url: gone } = proxy;
    await proxy[Symbol.asyncDispose]();

    for (const url of ["http://api.example/", "https://api.example/"]) {
      const message = `ECONNREFUSED api.example (at ${new URL(gone).host}): before the response`;
      expect(await get(url, gone)).toMatchObject({ reason: "network", message });
    }
  });

  test.each(["proxy:3128", "http://proxy/path", "user:planted@proxy"])(
    "is not %j, which is not shown",
    (HTTP_PROXY) => {
      expect(withVariables({ HTTP_PROXY }, proxyError)).toBe(
        "expected http://host:port in HTTPS_PROXY and HTTP_PROXY, found something else",
      );
    },
  );
});
