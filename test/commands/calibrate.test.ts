// Responses without a usable history. test/commands/calibrate.long.test.ts tests a real history.
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { describe, expect, test } from "@jest/globals";
import { calibrate } from "../../src/commands/calibrate.ts";
import { freeAddress } from "../support/daemon.ts";
import { runCommand } from "../support/io.ts";

const run = (prometheus: string, flags: { days?: string; alarms?: string; network?: string } = {}) =>
  runCommand((io) => calibrate({ prometheus, days: "1", alarms: "2", ...flags }, io, Date.UTC(2026, 0, 15)));

async function withServer<Result>(listener: RequestListener, use: (address: string) => Promise<Result>) {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    return await use(`127.0.0.1:${(server.address() as { port: number }).port}`);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

const responding = (status: number, body: unknown): RequestListener => {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return (_, response) => response.writeHead(status).end(text);
};
const found = (...networks: string[]) =>
  responding(200, { status: "success", data: networks.map((network) => ({ __name__: "stacks_up", network })) });

describe("a server that does not respond", () => {
  test("no server listens", async () => {
    const address = await freeAddress();

    const { code, out, err } = await run(`http://${address}`);

    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toBe(`Prometheus at ${address} cannot be read: network: ECONNREFUSED ${address}: no connection`);
  });

  test.each([
    [
      400,
      { status: "error", errorType: "bad_data", error: "too\nlong" },
      "series responds 400, bad_data: too\uFFFDlong",
    ],
    [503, "<html>", "series responds 503 without a result of its API"],
    [200, "<html>", "series responds 200 without a result of its API"],
    [200, { status: "success", data: 1 }, "series responds 200 without a result of its API"],
    [302, "", "series responds 302 without a result of its API"],
    [401, "", "series responds 401: give a user and a password as http://user:password@host"],
    [404, "", "series responds 404: if Prometheus has a path prefix, it is part of the URL"],
  ])("status %d with %j", async (status, body, message) => {
    const { code, err } = await withServer(responding(status, body), (address) => run(`http://${address}`));

    expect(code).toBe(1);
    expect(err).toMatch(/^Prometheus at 127\.0\.0\.1:\d+ cannot be read: /);
    expect(err).toContain(message);
  });
});

test("the prefix and the password of the URL are sent, and no message contains them", async () => {
  const requests: (string | undefined)[] = [];
  const { err } = await withServer(
    ({ url, headers }, response) => {
      requests.push(url?.split("?")[0], headers.authorization);
      response.writeHead(500).end();
    },
    (address) => run(`http://reader:pl%40nted@${address}/prefix/`),
  );

  expect(requests).toEqual(["/prefix/api/v1/series", `Basic ${Buffer.from("reader:pl@nted").toString("base64")}`]);
  expect(err).toContain("responds 500");
  expect(err).not.toMatch(/pl(%40|@)nted|prefix/);
});

test.each([
  ["no series", found(), undefined, /^Prometheus has no series of the exporter in the last 1 days; does it scrape/],
  ["several networks", found("b", "a"), undefined, /^--network: expected one of a, b, which is needed for several/],
  ["another network", found("a"), "b", /^--network: expected one of a, found "b"$/],
])("%s", async (_, listener, network, message) => {
  const flags = network === undefined ? {} : { network };

  const { code, out, err } = await withServer(listener, (address) => run(`http://${address}`, flags));

  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).toMatch(message);
});

test.each([
  ["localhost:9090", {}, /^--prometheus: expected a URL such as/],
  ["nonsense", {}, /^--prometheus: expected a URL such as/],
  ["http://user:%zz@localhost", {}, /^--prometheus: the user or the password has a %/],
  ["http://localhost", { days: "0" }, /^--days: expected a whole number from 1 to 400, found "0"$/],
  ["http://localhost", { days: "1.5" }, /^--days: /],
  ["http://localhost", { alarms: "many" }, /^--alarms: expected a whole number from 1 to 1000, found "many"$/],
])("%s with %j is refused", async (prometheus, flags, message) => {
  const { code, out, err } = await run(prometheus, flags);

  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).toMatch(message);
});
