// Connections to servers: real servers with their own CA, client certificates, and a real forward proxy.
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import { createServer as createHttpsServer, type ServerOptions } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { type Route, Transport } from "../../src/api/transport.ts";
import { Secret } from "../../src/config/secret.ts";
import { Certificates } from "../support/certificates.ts";
import { ForwardProxy } from "../support/forward-proxy.ts";
import { describeWith } from "../support/installed.ts";

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

  test("that cannot be reached fails with its name, without its password", async () => {
    const proxy = await ForwardProxy.start("user:planted-password");
    const [{ host: name }, gone] = [new URL(proxy.url), through(proxy)];
    await proxy[Symbol.asyncDispose]();

    for (const url of ["http://api.example/", "https://api.example/"]) {
      expect(await get(url, { proxy: gone })).toMatchObject({
        reason: "network",
        isUnsent: true,
        message: expect.stringMatching(
          new RegExp(`^ECONNREFUSED api\\.example through the proxy http://${name}: no connection$`),
        ),
      });
    }
  });
});

describeWith("openssl")("TLS", () => {
  let certificates: Certificates;
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "stacks-exporter-route-"));
    certificates = new Certificates(folder);
    certificates.signed("server", "DNS:api.internal, IP:127.0.0.1");
    certificates.signed("client", "DNS:exporter");
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const read = (name: string) => readFileSync(certificates.path(name), "utf8");
  const none = { ca: undefined, cert: undefined, key: undefined, serverName: undefined };
  const ownCa = () => ({ ...none, ca: read("ca.crt") });
  const secure = (options: ServerOptions = {}) =>
    port(createHttpsServer({ cert: read("server.crt"), key: read("server.key"), ...options }, respond));

  test("with the CA of the server, and not without it", async () => {
    const url = `https://127.0.0.1:${await secure()}/x`;

    expect(await get(url, { tls: ownCa() })).toEqual({ status: 200, body: "path /x" });
    expect(await get(url, {})).toMatchObject({
      reason: "network",
      isUnsent: true,
      message: expect.stringMatching(/^UNABLE_TO_VERIFY_LEAF_SIGNATURE 127/),
    });
  });

  test("for the name of the host, or for another one that is configured", async () => {
    const url = `https://localhost:${await secure()}/`;

    expect(await get(url, { tls: ownCa() })).toMatchObject({
      message: expect.stringMatching(/^ERR_TLS_CERT_ALTNAME_INVALID/),
    });
    expect(await get(url, { tls: { ...ownCa(), serverName: "api.internal" } })).toMatchObject({ status: 200 });
  });

  test("with a certificate for a server that requires one", async () => {
    const url = `https://127.0.0.1:${await secure({ requestCert: true, ca: read("ca.crt") })}/`;
    const own = { ...ownCa(), cert: read("client.crt"), key: new Secret(read("client.key")) };

    expect(await get(url, { tls: own })).toMatchObject({ status: 200 });
    expect(await get(url, { tls: ownCa() })).toMatchObject({ reason: "network" });
  });

  test("through a tunnel of a proxy, with its own CA and a certificate", async () => {
    await using proxy = await ForwardProxy.start("user:planted-password");
    const target = `api.internal:${await secure({ requestCert: true, ca: read("ca.crt") })}`;
    const tls = { ...ownCa(), cert: read("client.crt"), key: new Secret(read("client.key")) };

    expect(await get(`https://${target}/y`, { tls, proxy: through(proxy) })).toEqual({ status: 200, body: "path /y" });
    expect(proxy.seen).toEqual([`CONNECT ${target}`]);
    expect(hosts).toEqual([target]);
    const wrong = { url: new Secret(proxy.url.replace("planted", "wrong")), origin: "http://proxy", noProxy: "" };
    expect(await get(`https://${target}/`, { tls, proxy: wrong })).toMatchObject({
      reason: "network",
      isUnsent: true,
      message: expect.stringMatching(/through the proxy http:\/\/proxy: no connection$/),
    });
  });
});
