// Tests the web configuration with a real Prometheus: TLS, passwords, client certificates, and a reload under load.
import { copyFileSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { hashSync } from "bcryptjs";
import { parse } from "yaml";
import { startSimulator } from "../../simulator/server.ts";
import { Certificates } from "../support/certificates.ts";
import { folderOfTests } from "../support/folder.ts";
import { describeWith } from "../support/installed.ts";
import { killAll, type Running, start, until } from "../support/program.ts";
import { startPrometheus } from "../support/prometheus.ts";

describeWith("prometheus", "openssl")("with Prometheus (Debian: apt-get install prometheus)", () => {
  const folder = folderOfTests();
  let certificates: Certificates;
  let simulator: Awaited<ReturnType<typeof startSimulator>>;
  let exporter: Running;
  let address: string;
  let probe: string;

  const replace = (from: string, to: string) => {
    copyFileSync(join(folder, from), join(folder, `${to}.new`));
    renameSync(join(folder, `${to}.new`), join(folder, to));
  };

  beforeAll(async () => {
    certificates = new Certificates(folder);
    for (const name of ["server", "next"]) certificates.signed(name, "DNS:exporter.example, IP:127.0.0.1");
    certificates.signed("client", "DNS:prometheus.example");
    certificates.selfSigned("stranger");
    for (const kind of ["crt", "key"]) replace(`server.${kind}`, `live.${kind}`);
    writeFileSync(
      join(folder, "web.yml"),
      `tls_server_config: { cert_file: live.crt, key_file: live.key, client_auth_type: RequireAndVerifyClientCert, client_ca_file: ca.crt }
basic_auth_users: { prometheus: "${hashSync("s3cret", 10)}" }
`,
    );
    simulator = await startSimulator({ seed: 2 });
    writeFileSync(
      join(folder, "exporter.yaml"),
      `networks: [{ name: simulated, url: "${simulator.url}", budget: { per_minute: 600, per_month: unlimited } }]
state: memory
`,
    );
    const web = ["--web.config.file", join(folder, "web.yml"), "--web.probe-address", "127.0.0.1:0"];
    const listen = ["--web.listen-address", "127.0.0.1:0", "--log-level", "debug"];
    exporter = start(["--config", join(folder, "exporter.yaml"), ...web, ...listen]);
    [, address = ""] = await exporter.says(/"address":"([^"]+)","tls":true/);
    [, probe = ""] = await exporter.says(/"address":"([^"]+)","msg":"listening for probes"/);
    await until(() => fetch(`http://${probe}/-/ready`).then(({ ok }) => ok || undefined), "readiness");
  });
  afterAll(async () => {
    exporter.child.kill("SIGTERM");
    const { err } = await exporter.finished;
    killAll();
    await simulator.close();
    expect(err).not.toMatch(/s3cret|\$2[ab]\$/);
  });

  test("Prometheus can scrape only with the right password and certificate", async () => {
    const text = readFileSync(new URL("scrapes.yaml", import.meta.url), "utf8").replaceAll("$FOLDER", folder);
    const { right, wrong } = parse(text, { merge: true }) as Record<"right" | "wrong", Record<string, object>>;
    const jobs = Object.entries({ ...right, ...wrong });
    const prometheus = await startPrometheus(
      address,
      [],
      jobs.map(([job_name, more]) => ({ job_name, scheme: "https", ...more })),
    );
    try {
      const ups = await until(async () => {
        const counts = await prometheus.query("count_over_time(up[1m]) >= 3");
        return counts.length === jobs.length ? prometheus.query("max_over_time(up[1m])") : undefined;
      }, "three scrapes of each job");

      expect(Object.fromEntries(ups.map(({ metric, value }) => [metric.job, value?.[1]]))).toEqual(
        Object.fromEntries(jobs.map(([name]) => [name, name in right ? "1" : "0"])),
      );
      expect(await prometheus.query('stacks_up{job="right"} == 1')).toHaveLength(1);
    } finally {
      await prometheus.stop();
    }
  });

  /** Scrapes once; resolves with the serial number of the certificate. */
  const scrape = () =>
    new Promise<string>((resolve, reject) => {
      const [ca, cert, key] = ["ca.crt", "client.crt", "client.key"].map((name) =>
        readFileSync(certificates.path(name)),
      );
      // Without a session, because a resumed one has no certificate.
      const agent = new Agent({ maxCachedSessions: 0 });
      const options = { agent, ca, cert, key, auth: "prometheus:s3cret" };
      request(`https://${address}/metrics`, options, (response) => {
        const { serialNumber } = (response.socket as TLSSocket).getPeerCertificate();
        response.resume().once("end", () => {
          if (response.statusCode === 200) resolve(serialNumber);
          else reject(new Error(`${response.statusCode}`));
        });
      })
        .once("error", reject)
        .end();
    });

  test("no scrape fails while the certificate is replaced, even if certificate and key do not match for a moment", async () => {
    const before = await scrape();
    replace("next.crt", "live.crt");
    const refused = exporter.says(/found what OpenSSL refuses \(ERR_OSSL_X509_KEY_VALUES_MISMATCH\)/);
    for (let isOver = false; !isOver; ) {
      isOver = await Promise.race([refused.then(() => true), scrape().then(() => false)]);
    }
    expect(await scrape()).toBe(before);
    replace("next.key", "live.key");
    await until(async () => ((await scrape()) === before ? undefined : true), "the new certificate");
    await exporter.says(/reloaded the web configuration/);
  });
});
