import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { formatErrors } from "../../src/config/errors.ts";
import { readRegularFile } from "../../src/config/files.ts";
import { loadWebConfig } from "../../src/config/web-config.ts";
import { Certificates } from "../support/certificates.ts";
import { folderOfTests } from "../support/folder.ts";
import { describeWith } from "../support/installed.ts";

const HASH = "$2y$10$qRTBuFoULoYNA7AQ/F3ck.trZBPyjV64.oA4ZsSBCIWvXuvQlQTuu";
const TLS = "cert_file: server.crt, key_file: server.key";
const NO_FILE = "expected a file that can be read, found no such file";

describeWith("openssl")("the web configuration", () => {
  const folder = folderOfTests();
  beforeAll(() => {
    const certificates = new Certificates(folder);
    certificates.signed("server", "DNS:localhost");
    certificates.selfSigned("other");
    writeFileSync(join(folder, "junk"), "no certificate\n");
    writeFileSync(join(folder, "binary"), Uint8Array.of(0xff, 0xfe));
  });

  const load = (text: string) => {
    const file = join(folder, "web.yml");
    writeFileSync(file, text);
    return loadWebConfig(file, readRegularFile);
  };

  const casesOf = <Content>(name: string): Content =>
    parse(
      readFileSync(new URL(name, import.meta.url), "utf8")
        .replaceAll("$TLS", TLS)
        .replaceAll("$HASH", () => HASH)
        .replaceAll("$NO_FILE", NO_FILE),
    );

  test.each(casesOf<readonly { text: string; web: object }[]>("web.yaml"))("accepts $text", async ({ text, web }) => {
    const loaded = await load(text);
    if (!loaded.ok) throw new Error(formatErrors(loaded.errors));
    const { tls, users, headers, rateLimit } = loaded.web;

    expect({
      clientAuth: tls?.clientAuth,
      allowedSans: tls?.allowedSans,
      users: [...users],
      headers,
      rateLimit,
    }).toEqual({ users: [], headers: [], ...web });
  });

  test.each(casesOf<readonly { text: string; errors: string }[]>("bad-web.yaml"))(
    "refuses $text",
    async ({ text, errors }) => {
      const loaded = await load(text);
      const reported = loaded.ok ? "no errors" : formatErrors(loaded.errors);

      expect(`${reported.replaceAll(join(folder, "web.yml:"), "")}\n`).toBe(errors);
    },
  );

  test("names the files that it was read from, also a missing one", async () => {
    const loaded = await load(`tls_server_config: { ${TLS} }`);
    const none = await loadWebConfig(join(folder, "none.yml"), readRegularFile);

    expect(loaded.files).toEqual(["web.yml", "server.crt", "server.key"].map((name) => join(folder, name)));
    expect(none).toMatchObject({ ok: false, errors: [{ message: NO_FILE }] });
  });
});
