// The chart, rendered by Helm, has the objects of deploy/kubernetes, built by Kustomize. Go builds both programs;
// without Go the tests are skipped.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "@jest/globals";
import { parse, parseAllDocuments } from "yaml";
import { toolOf } from "../../tools/lint/tools.ts";
import { describeUnless } from "../support/installed.ts";
import { root } from "./files.ts";
import { complaints, type Typed } from "./manifest-types.ts";

const helm = toolOf("helm");
const kustomize = toolOf("kustomize");
const missing = [helm, kustomize].flatMap((tool) => ("missing" in tool ? [tool.missing] : []));
const describeBuilt = describeUnless(missing);

const chart = "deploy/helm/stacks-exporter";
const folder = mkdtempSync(join(tmpdir(), "stacks-exporter-helm-"));
afterAll(() => rmSync(folder, { recursive: true }));

interface Manifest extends Typed {
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  // biome-ignore lint/suspicious/noExplicitAny: the tests are about the shape
  readonly [key: string]: any;
}

function commandOf(tool: ReturnType<typeof toolOf>): string {
  if ("missing" in tool) throw new Error(tool.missing);
  return tool.command;
}

function run(tool: ReturnType<typeof toolOf>, ...args: string[]) {
  return spawnSync(commandOf(tool), args, { cwd: root, encoding: "utf8", maxBuffer: 2 ** 26 });
}

const manifestsOf = (text: string) =>
  parseAllDocuments(text).flatMap((document) => (document.toJS() as Manifest | null) ?? []);

function render(values: string, release = "stacks-exporter") {
  writeFileSync(join(folder, "values.yaml"), values);
  return run(helm, "template", release, chart, "--namespace", "monitoring", "--values", join(folder, "values.yaml"));
}

function rendered(values = "", release?: string): Manifest[] {
  const { status, stdout, stderr } = render(values, release);
  if (status !== 0) throw new Error(stderr);
  return manifestsOf(stdout);
}

function one(manifests: readonly Manifest[], kind: string, name = "stacks-exporter"): Manifest {
  const [found, ...others] = manifests.filter((manifest) => manifest.kind === kind && manifest.metadata.name === name);
  if (found === undefined || others.length > 0) throw new Error(`expected one ${kind} ${name}`);
  return found;
}

// Fields that Helm adds to each object, and fields that only one of both can have.
const ADDED = /^(helm\.sh\/|checksum\/|app\.kubernetes\.io\/(instance|version|managed-by)$)/;

function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== "object" || value === null) {
    // Kustomize adds a hash of its content to the name of the configuration.
    return typeof value === "string" ? value.replace(/^stacks-exporter-[a-z0-9]{10}$/, "stacks-exporter") : value;
  }
  const entries = Object.entries(value)
    .filter(
      ([key, item]) =>
        !ADDED.test(key) && key !== "namespace" && !(key === "imagePullPolicy" && item === "IfNotPresent"),
    )
    .map(([key, item]) => [key, comparable(item)] as const)
    .filter(([key, item]) => key !== "annotations" || Object.keys(item as object).length > 0);
  return Object.fromEntries(entries);
}

/** Kustomize labels no configuration, and dashboards with the label of the sidecar only. */
function normalized(manifest: Manifest): object {
  const { metadata, data, ...rest } = comparable(manifest) as Manifest;
  if (manifest.kind !== "ConfigMap") return { ...rest, metadata };
  const { grafana_dashboard } = metadata.labels ?? {};
  // The file of deploy/kubernetes has comments.
  const values = Object.entries(data as Record<string, string>).map(([file, text]) => [file, parse(text)]);
  return { ...rest, metadata: { ...metadata, labels: { grafana_dashboard } }, data: Object.fromEntries(values) };
}

const keyOf = ({ kind, metadata }: Manifest) => `${kind} ${comparable(metadata.name)}`;

/** The folder of the manifests, with a number of replicas. */
function kustomizationOf(replicas: number): string {
  const copy = join(folder, String(replicas));
  for (const path of ["deploy/kubernetes", "dashboards"]) {
    cpSync(join(root, path), join(copy, path), { recursive: true, filter: (name) => !name.endsWith(".ts") });
  }
  const set = join(copy, "deploy/kubernetes/stateful-set.yaml");
  writeFileSync(set, readFileSync(set, "utf8").replace("replicas: 1", `replicas: ${replicas}`));
  const configuration = join(copy, "deploy/kubernetes/stacks-exporter.yaml");
  writeFileSync(configuration, readFileSync(configuration, "utf8").replace("count: 1", `count: ${replicas}`));
  return join(copy, "deploy/kubernetes");
}

describeBuilt("the chart", () => {
  test.each([1, 4])("has the objects of deploy/kubernetes, with %i shards", (shards) => {
    const built = manifestsOf(run(kustomize, "build", kustomizationOf(shards)).stdout);
    const fromChart = new Map(rendered(`shards: ${shards}`).map((manifest) => [keyOf(manifest), manifest]));

    expect([...fromChart.keys()].sort()).toEqual(built.map(keyOf).sort());
    for (const manifest of built) {
      const other = fromChart.get(keyOf(manifest)) as Manifest;
      expect([keyOf(manifest), normalized(other)]).toEqual([keyOf(manifest), normalized(manifest)]);
    }
    expect(one(built, "StatefulSet").spec.replicas).toBe(shards);
  });

  test("has objects of their types, with every value", () => {
    const manifests = rendered(
      `shards: 4
image: { digest: "sha256:${"0".repeat(64)}" }
imagePullSecrets: [{ name: registry }]
files: { wallets.csv: "address" }
persistence: { storageClass: fast }
networkPolicy: { from: [{ namespaceSelector: {} }], egress: [{}] }
env: [{ name: NODE_OPTIONS, value: "" }]
podAnnotations: { a: b }
nodeSelector: { a: b }
tolerations: [{ operator: Exists }]
affinity: { podAntiAffinity: {} }
`,
    );

    expect(complaints(manifests)).toEqual([]);
  });

  test("sets the shard of the configuration, and refuses another one", () => {
    const { stderr } = render("config: { shard: { count: 4 } }");

    expect(parse(one(rendered("shards: 4"), "ConfigMap").data["stacks-exporter.yaml"]).shard).toEqual({
      index: "hostname",
      count: 4,
    });
    expect(stderr).toContain("expected the value shards instead");
    expect(render("shards: 0").stderr).toContain("shards");
  });

  test.each([
    [4, 4, undefined],
    [0, 6, undefined],
    [4, 6, "expected 4, the number that is running, found 6"],
  ])("with %i shards in the cluster, %i shards: %s", async (running, shards, refusal) => {
    const found: Readonly<Record<string, object>> = {
      "/apis/apps/v1": {
        kind: "APIResourceList",
        resources: [{ name: "statefulsets", namespaced: true, kind: "StatefulSet", verbs: ["get"] }],
      },
      "/apis/apps/v1/namespaces/monitoring/statefulsets/stacks-exporter": {
        apiVersion: "apps/v1",
        kind: "StatefulSet",
        spec: { replicas: running },
      },
    };
    const cluster = createServer(({ url = "" }, response) => {
      const body = found[url.split("?")[0] ?? ""];
      response.writeHead(body === undefined ? 404 : 200, { "content-type": "application/json" });
      response.end(JSON.stringify(body ?? {}));
    }).listen(0, "127.0.0.1");
    await once(cluster, "listening");
    const { port } = cluster.address() as AddressInfo;
    const names = ["--namespace", "monitoring", "--set", `shards=${shards}`, "--dry-run=server"];
    const child = spawn(
      commandOf(helm),
      ["template", "stacks-exporter", chart, ...names, "--kube-apiserver", `http://127.0.0.1:${port}`],
      { cwd: root, stdio: ["ignore", "ignore", "pipe"] },
    );
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text) => (said += text));
    const [status] = await once(child, "close");
    cluster.close();

    expect(status === 0).toBe(refusal === undefined);
    expect(said).toContain(refusal ?? "");
  });

  test("refuses a misspelt value", () => {
    const { status, stderr } = render("persistance: { enabled: false }\n");

    expect(status).not.toBe(0);
    expect(stderr).toContain("persistance");
  });
});
