// Limits of the connections of a TLS server, whose requests have other sockets than its connections.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { createServer, get } from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { expect, test } from "@jest/globals";
import { limitConnections } from "../../src/http/limits.ts";
import { Certificates } from "../support/certificates.ts";
import { folderOfTests } from "../support/folder.ts";
import { describeWith } from "../support/installed.ts";

describeWith("openssl")("with TLS", () => {
  const folder = folderOfTests();

  test("a connection with a request is not closed for another one", async () => {
    const certificates = new Certificates(folder);
    const [cert, key] = ["crt", "key"].map((end) => readFileSync(certificates.path(`ca.${end}`)));
    const busy: ServerResponse[] = [];
    const server = createServer({ cert, key }, (_, response) => void busy.push(response));
    limitConnections(server, 2);
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as AddressInfo;
    const ask = () =>
      new Promise<string>((resolve, reject) => {
        const options = { host: "127.0.0.1", port, agent: false, rejectUnauthorized: false };
        get(options, (response) => resolve(text(response))).once("error", reject);
      });
    const first = [ask(), ask()];
    while (busy.length < 2) await once(server, "request");

    await expect(ask()).rejects.toMatchObject({ code: "ECONNRESET" });
    for (const response of busy) response.end("page");
    expect(await Promise.all(first)).toEqual(["page", "page"]);
    server.close();
  });
});
