// Real servers and clients: TLS, client certificates, passwords, Unix sockets, and changes at run time.
import { once } from "node:events";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { Agent } from "node:https";
import { connect as connectPlain, createServer } from "node:net";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { type ConnectionOptions, connect } from "node:tls";
import { afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { hashSync } from "bcryptjs";
import request from "supertest";
import { formatErrors } from "../../src/config/errors.ts";
import { readRegularFile } from "../../src/config/files.ts";
import { parseListen } from "../../src/config/values.ts";
import { loadWebConfig, type WebConfig } from "../../src/config/web-config.ts";
import { Exposition } from "../../src/exposition/exposition.ts";
import { gauge } from "../../src/exposition/family.ts";
import { Listeners, type ListenersOptions, namesIn } from "../../src/http/listeners.ts";
import { MetricsPage } from "../../src/http/page.ts";
import { Certificates } from "../support/certificates.ts";
import { folderOfTests } from "../support/folder.ts";
import { describeWith } from "../support/installed.ts";
import { StatusWorld } from "../support/status.ts";

const level = gauge({ name: "stacks_level", help: "A gauge." });

const folder = folderOfTests();
let certificates: Certificates;
let listeners: Listeners | undefined;

afterEach(async () => {
  await listeners?.close(0);
  listeners = undefined;
});

/** Opens listeners of a page with one gauge; the first is on a free port of 127.0.0.1 unless others are given. */
async function open(
  options: Partial<Omit<ListenersOptions, "listen" | "probes">> & { listen?: string[]; probes?: string[] },
) {
  const exposition = new Exposition([level]);
  exposition.set("x", [level.at({}, 5)]);
  const page = new MetricsPage({
    exposition,
    renew: async () => undefined,
    expire: () => undefined,
    now: () => 0,
    onError: () => undefined,
  });
  const addresses = (texts: readonly string[]) => texts.map((text) => parseListen(text) ?? { port: -1 });
  listeners = new Listeners({
    view: { page, ...new StatusWorld().network().view() },
    web: undefined,
    ...options,
    listen: addresses(options.listen ?? ["127.0.0.1:0"]),
    probes: addresses(options.probes ?? []),
  });
  return listeners.open();
}

async function webOf(yaml: string): Promise<WebConfig> {
  const file = join(folder, "web.yml");
  writeFileSync(file, yaml);
  const loaded = await loadWebConfig(file, readRegularFile);
  if (!loaded.ok) throw new Error(formatErrors(loaded.errors));
  return loaded.web;
}

/** A request on its own connection; the path of a Unix socket is written with %2F. */
const get = (url: string, options: ConnectionOptions = {}) => {
  const [, origin = "", path = ""] = /^([^:]*:\/\/[^/]*)(.*)$/.exec(url) ?? [];
  const test = request(origin).get(path);
  return origin.startsWith("https:") ? test.agent(new Agent(options)) : test;
};

const failure = (reply: ReturnType<typeof get>): Promise<string> =>
  reply.then(
    ({ status }) => `the status ${status}`,
    (error: NodeJS.ErrnoException) => error.code ?? error.message,
  );

describe("plain HTTP", () => {
  test("serves on several addresses, a Unix socket among them", async () => {
    const socketPath = join(folder, "metrics.sock");
    const opened = await open({ listen: ["127.0.0.1:0", "[::1]:0", `unix:${socketPath}`] });

    expect(opened).toMatchObject([
      { address: expect.stringMatching(/^127\.0\.0\.1:\d+$/), isSecure: false, isProbe: false },
      { address: expect.stringMatching(/^\[::1\]:\d+$/), url: expect.stringMatching(/^http:\/\/\[::1\]:\d+$/) },
      { address: `unix:${socketPath}`, url: undefined },
    ]);
    const urls = [...opened.slice(0, 2).map(({ url }) => url), `http+unix://${encodeURIComponent(socketPath)}`];
    for (const url of urls) expect((await get(`${url}/metrics`)).text).toContain("stacks_level 5");
    await listeners?.close(0);
    expect(existsSync(socketPath)).toBe(false);
  });

  test("takes over the Unix socket of a process that was killed, and not that of one that lives", async () => {
    const path = join(folder, "stale.sock");
    const other = createServer().listen(path);
    await once(other, "listening");

    await expect(open({ listen: [`unix:${path}`] })).rejects.toThrow(/EADDRINUSE/);
    // Without its handle the socket stays, as after a kill.
    const moved = `${path}.moved`;
    renameSync(path, moved);
    await new Promise((resolve) => other.close(resolve));
    renameSync(moved, path);
    expect(await open({ listen: [`unix:${path}`] })).toHaveLength(1);
  });

  test("does not replace a regular file by a Unix socket", async () => {
    const path = join(folder, "state.db");
    await expect(open({ listen: [`unix:${folder}/none/a.sock`] })).rejects.toThrow(/ENOENT/);
    writeFileSync(path, "data");

    await expect(open({ listen: [`unix:${path}`] })).rejects.toThrow(/EADDRINUSE/);
    expect(readFileSync(path, "utf8")).toBe("data");
  });

  test("a probe address has the health checks alone", async () => {
    const [, probe] = await open({ probes: ["127.0.0.1:0"] });
    const paths = ["/-/healthy", "/-/ready", "/metrics", "/", "/api/v1/status"];
    const replies = await Promise.all(paths.map((path) => get(`${probe?.url}${path}`)));

    expect(probe?.isProbe).toBe(true);
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 404, 404, 404]);
    expect(replies[2]?.text).toBe("There is no such page.\n");
  });

  test.each(["http://localhost/metrics", "*", "/metrics#x", "/a\u00a0b"])("the target %j is a 400", async (target) => {
    const [{ url } = {}] = await open({});
    const socket = connectPlain(Number(new URL(`${url}`).port), "127.0.0.1");
    socket.write(`GET ${target} HTTP/1.1\r\nhost: localhost\r\n\r\n`, "latin1");

    expect(await textOf(socket)).toMatch(/^HTTP\/1.1 400 Bad Request/);
  });

  test("passwords and headers are in force, also where the health is", async () => {
    const web = await webOf(
      `basic_auth_users: { alice: "${hashSync("right", 4)}" }\nhttp_server_config: { headers: { X-Frame-Options: deny } }`,
    );
    const [listener, probe] = await open({ web, probes: ["127.0.0.1:0"] });
    const anonymous = await get(`${listener?.url}/-/healthy`);

    expect(anonymous.status).toBe(401);
    expect(anonymous.headers).toMatchObject({
      "www-authenticate": 'Basic realm="stacks-exporter", charset="UTF-8"',
      "x-frame-options": "deny",
      "x-content-type-options": "nosniff",
    });
    expect((await get(`${listener?.url}/metrics`).auth("alice", "wrong")).status).toBe(401);
    expect((await get(`${listener?.url}/metrics`).auth("eve", "right")).status).toBe(401);
    expect(await get(`${listener?.url}/metrics`).auth("alice", "right")).toMatchObject({
      status: 200,
      headers: { "x-frame-options": "deny" },
    });
    expect((await get(`${probe?.url}/-/healthy`)).status).toBe(200);
  });

  test("a rate is in force before the password, not where the health is, and changes at run time", async () => {
    const users = `basic_auth_users: { alice: "${hashSync("right", 4)}" }`;
    const web = await webOf(`${users}\nrate_limit: { interval: 24h, burst: 2 }`);
    const [listener, probe] = await open({ web, probes: ["127.0.0.1:0"] });
    const scrape = (password: string) => get(`${listener?.url}/metrics`).auth("alice", password);

    expect((await scrape("right")).status).toBe(200);
    expect((await scrape("wrong")).status).toBe(401);
    const late = await scrape("right");
    expect(late.status).toBe(429);
    expect(Number(late.headers["retry-after"])).toBeGreaterThan(86_000);
    expect((await get(`${probe?.url}/-/healthy`)).status).toBe(200);
    expect(listeners?.take(await webOf(users))).toEqual([]);
    expect((await scrape("right")).status).toBe(200);
  });

  test("a flood of wrong passwords is refused, and a client with a known password is not", async () => {
    const web = await webOf(`basic_auth_users: { alice: "${hashSync("right", 8)}" }`);
    const [listener] = await open({ web });
    await get(`${listener?.url}/metrics`).auth("alice", "right");
    const flood = Array.from({ length: 50 }, (_, index) => get(`${listener?.url}/metrics`).auth("alice", `${index}`));
    const replies = Array.from({ length: 5 }, () => get(`${listener?.url}/metrics`).auth("alice", "right"));

    expect((await Promise.all(replies)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const statuses = (await Promise.all(flood)).map(({ status }) => status);
    expect(statuses.filter((status) => status !== 401 && status !== 503)).toEqual([]);
  });
});

describeWith("openssl")("TLS", () => {
  beforeAll(() => {
    certificates = new Certificates(folder);
    certificates.signed("server", "DNS:localhost, IP:127.0.0.1");
    certificates.signed("client", "DNS:test3, email:a@b.example");
    certificates.selfSigned("stranger");
  });

  const SERVER = "cert_file: server.crt, key_file: server.key";
  const webWith = (tls: string, more = "") => webOf(`tls_server_config: { ${SERVER}, ${tls} }\n${more}`);
  const read = (name: string) => readFileSync(certificates.path(name));
  const trusting = () => ({ ca: read("ca.crt") });
  const as = (name: string) => ({ ...trusting(), cert: read(`${name}.crt`), key: read(`${name}.key`) });

  test("serves HTTPS, refuses older versions, and gives no page to plain HTTP", async () => {
    const [listener] = await open({ web: await webWith("") });
    const url = `${listener?.url}/metrics`;

    expect(url).toMatch(/^https:/);
    expect((await get(url, trusting())).text).toContain("stacks_level 5");
    expect(await failure(get(url))).toBe("UNABLE_TO_VERIFY_LEAF_SIGNATURE");
    const old = { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" } as const;
    expect(await failure(get(url, { ...trusting(), ...old }))).toBe("EPROTO");
    expect(await failure(get(url.replace("https:", "http:")))).toMatch(/ECONNRESET|HPE_|socket hang up/);
  });

  describe.each([
    // Which clients get the page: without a certificate, with one of the CA, with a self-signed one.
    ["NoClientCert", "", [true, true, true]],
    ["RequestClientCert", "client_ca_file: ca.crt", [true, true, true]],
    ["RequireAnyClientCert", "", [false, true, true]],
    ["RequireClientCert", "", [false, true, true]],
    ["VerifyClientCertIfGiven", "client_ca_file: ca.crt", [true, true, false]],
    ["RequireAndVerifyClientCert", "client_ca_file: ca.crt", [false, true, false]],
  ] as const)("%s", (type, ca, expected) => {
    test.each(["TLSv1.2", "TLSv1.3"] as const)("%s", async (version) => {
      const [listener] = await open({ web: await webWith(`client_auth_type: ${type}, ${ca}`) });
      const url = `${listener?.url}/metrics`;
      const clients = [trusting(), as("client"), as("stranger")];
      const outcomes: boolean[] = [];
      for (const client of clients) {
        outcomes.push(
          (await failure(get(url, { ...client, minVersion: version, maxVersion: version }))) === "the status 200",
        );
      }

      expect(outcomes).toEqual(expected);
    });
  });

  test.each([
    ["[one, test3]", true],
    ["[a@b.example]", true],
    ["[one]", false],
    ["[test]", false],
  ])("with client_allowed_sans %s, the client is served: %s", async (sans, isServed) => {
    const type = "client_auth_type: RequireAndVerifyClientCert, client_ca_file: ca.crt";
    const [listener] = await open({ web: await webWith(`${type}, client_allowed_sans: ${sans}`) });

    expect((await failure(get(`${listener?.url}/metrics`, as("client")))) === "the status 200").toBe(isServed);
  });

  describe("at run time", () => {
    /** Connects, requests a page, and returns the connection with its session. */
    async function session(url: string | undefined, options: ConnectionOptions) {
      const { port } = new URL(`${url}`);
      const socket = connect({ port: Number(port), host: "127.0.0.1", ...options });
      const sessions: Buffer[] = [];
      socket.on("session", (one) => sessions.push(one));
      const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
      socket.on("error", () => undefined);
      socket.write("GET /-/healthy HTTP/1.1\r\nHost: localhost\r\n\r\n");
      const served = new Promise<boolean>((resolve) => socket.once("data", () => resolve(true)));
      const isServed = await Promise.race([served, closed.then(() => false)]);
      return { socket, isServed, sessions, closed };
    }
    const VERIFIED = "client_auth_type: RequireAndVerifyClientCert, client_ca_file";

    test("a resumed session does not pass for a certificate", async () => {
      const [listener] = await open({ web: await webWith(`${VERIFIED}: ca.crt`) });
      for (const client of [trusting(), as("stranger")]) {
        const first = await session(listener?.url, client);
        expect(first.isServed).toBe(false);
        for (const one of first.sessions) {
          expect((await session(listener?.url, { ...trusting(), session: one })).isServed).toBe(false);
        }
      }
    });

    test("a connection continues after a change, and a session of another CA does not", async () => {
      const [listener] = await open({ web: await webWith(`${VERIFIED}: ca.crt`) });
      const first = await session(listener?.url, as("client"));
      expect(first.isServed).toBe(true);

      expect(listeners?.take(await webWith(`${VERIFIED}: stranger.crt`))).toEqual([]);
      first.socket.write("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
      await once(first.socket, "data");
      const resumed = await session(listener?.url, { ...as("client"), session: first.sessions.at(-1) });
      const stranger = await session(listener?.url, as("stranger"));

      expect([resumed.isServed, stranger.isServed]).toEqual([false, true]);
      for (const { socket } of [first, stranger]) socket.destroy();
    });

    test("a new certificate, other users and other headers are in force at once", async () => {
      const [listener] = await open({
        web: await webWith("", `basic_auth_users: { alice: "${hashSync("right", 4)}" }`),
      });
      const url = `${listener?.url}/metrics`;
      expect((await get(url, trusting()).auth("alice", "right")).status).toBe(200);
      const web = await webOf(
        `tls_server_config: { cert_file: stranger.crt, key_file: stranger.key }\nhttp_server_config: { headers: { X-Frame-Options: deny } }\nbasic_auth_users: { bob: "${hashSync("right", 4)}" }`,
      );

      expect(listeners?.take(web)).toEqual([]);
      const options = { ca: read("stranger.crt"), servername: "stranger" };
      expect((await get(url, options).auth("alice", "right")).status).toBe(401);
      expect(await get(url, options).auth("bob", "right")).toMatchObject({
        status: 200,
        headers: { "x-frame-options": "deny" },
      });
    });
  });
});

test.each([
  ["", []],
  ["DNS:one", ["one"]],
  ["DNS:one, DNS:two.example, email:a@b.example", ["one", "two.example", "a@b.example"]],
  ["IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1", ["127.0.0.1", "::1"]],
  ["URI:spiffe://cluster/prometheus", ["spiffe://cluster/prometheus"]],
  ['DNS:"a, DNS:b", DNS:c', ["a, DNS:b", "c"]],
  ['URI:"http://a.example/\\"b\\\\", DNS:c', ['http://a.example/"b\\', "c"]],
  ["othername:<unsupported>, DNS:c", ["c"]],
])("a client certificate with %j has the names %j", (text, names) => {
  expect(namesIn(text)).toEqual(names);
});
