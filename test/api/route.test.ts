// Connections through a real forward proxy.
import { once } from "node:events";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import type { AddressInfo, Server } from "node:net";
import { afterEach, describe, expect, test } from "@jest/globals";
import { type Route, Transport } from "../../src/api/transport.ts";
import { Secret } from "../../src/config/secret.ts";
import { ForwardProxy } from "../support/forward-proxy.ts";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

let hosts: string[] = [];
const respond: RequestListener = (request, response) => {
  hosts.push(request.headers.host ?? "");
  response.end(`path ${request.url}`);
};

async function port(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(() => new Promise((resolve) => server.close(resolve)));
  return (server.address() as AddressInfo).port;
}

async function get(url: string, route: Route) {
  hosts = [];
  const transport = new Transport(2, 5_000, 10_000, route);
  closing.unshift(() => transport.close());
  const response = await transport.get(new URL(url), {}, new AbortController().signal);
  return "reason" in response ? response : { status: response.status, body: response.body.toString() };
}

const through = ({ url }: ForwardProxy, noProxy = "") => ({
  url: new Secret(url),
  origin: new URL(url).origin,
  noProxy,
});

describe("a forward proxy", () => {
  test("gets the absolute URL of plain HTTP, and the server its own host", async () => {
    await using proxy = await ForwardProxy.start();
    const url = `http://api.example:${await port(createHttpServer(respond))}/a?b=c`;

    expect(await get(url, { proxy: through(proxy) })).toEqual({ status: 200, body: "path /a?b=c" });
    expect(proxy.seen).toEqual([`GET ${url}`]);
    expect(hosts).toEqual([new URL(url).host]);
  });

  test.each([
    ["", true],
    ["api.example", true],
    ["api.example,127.0.0.1", false],
    ["127.0.0.1:1", true],
    ["*", false],
  ])("with the exceptions %j is used for 127.0.0.1: %s", async (noProxy, isUsed) => {
    await using proxy = await ForwardProxy.start();
    const url = `http://127.0.0.1:${await port(createHttpServer(respond))}/`;

    expect(await get(url, { proxy: through(proxy, noProxy) })).toMatchObject({ status: 200 });
    expect(proxy.seen).toHaveLength(isUsed ? 1 : 0);
  });

  test("gets its user and password, also with escaped characters", async () => {
    await using proxy = await ForwardProxy.start("user:p%40ss%3Aword");
    const url = `http://api.example:${await port(createHttpServer(respond))}/`;

    expect(await get(url, { proxy: through(proxy) })).toMatchObject({ status: 200 });
  });

  test("gets the name of an https server, and none of its data", async () => {
    await using proxy = await ForwardProxy.start();
    const target = `api.example:${await port(createHttpServer(respond))}`;

    expect(await get(`https://${target}/a`, { proxy: through(proxy) })).toMatchObject({ reason: "network" });
    expect(proxy.seen).toEqual([`CONNECT ${target}`]);
  });

  test("that cannot be reached fails with its name, without its password", async () => {
    const proxy = await ForwardProxy.start("user:planted-password");
    const [{ host: name }, gone] = [new URL(proxy.url), through(proxy)];
    await proxy[Symbol.asyncDispose]();

    for (const url of ["http://api.example/", "https://api.example/"]) {
      expect(await get(url, { proxy: gone })).toMatchObject({
        reason: "network",
        isConnected: false,
        message: expect.stringMatching(
          new RegExp(`^ECONNREFUSED api\\.example through the proxy http://${name}: no connection$`),
        ),
      });
    }
  });
});
