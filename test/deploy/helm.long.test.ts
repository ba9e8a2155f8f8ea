// The chart, rendered by Helm, is valid with combinations of values, and has the objects of deploy/kubernetes, built by
// Kustomize. Go builds the programs; without Go the tests are skipped, and CI fails.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "@jest/globals";
import { parse, parseAllDocuments, stringify } from "yaml";
import { LIMITS } from "../../alerts/thresholds.ts";
import { rules } from "../../src/commands/rules.ts";
import { toolOf } from "../../tools/lint/tools.ts";
import { json, ScriptedServer } from "../api/scripted-server.ts";
import { folderOfTests } from "../support/folder.ts";
import { describeUnless } from "../support/installed.ts";
import { runCommand } from "../support/io.ts";
import { root, textOf, yamlOf } from "./files.ts";
import { complaints, writeSchemas } from "./kubeconform.ts";

const helm = toolOf("helm");
const kustomize = toolOf("kustomize");
const kubeconform = toolOf("kubeconform");
const missing = [helm, kustomize, kubeconform].flatMap((tool) => ("missing" in tool ? [tool.missing] : []));
const describeBuilt = describeUnless(missing);

const chart = "deploy/helm/stacks-exporter";
const folder = folderOfTests();

const schemas = join(folder, "schemas");

/** What deploy/kubernetes has, and the chart only on request. */
const AS_KUSTOMIZE = `
serviceAccount: { create: false }
serviceMonitor: { enabled: true }
prometheusRule: { enabled: true }
dashboards: { enabled: true }
networkPolicy: { enabled: true }`;

const COMBINATIONS = {
  ...yamlOf<Readonly<Record<string, object>>>("test/deploy/helm-values.yaml"),
  "everything of deploy/kubernetes": parse(AS_KUSTOMIZE),
};

/** Another value for each limit and time of each alert, and every alert but one enabled. */
const OTHERS = stringify({
  thresholds: Object.fromEntries(
    Object.entries(LIMITS).map(([alert, limits]) => [
      alert,
      Object.fromEntries(
        Object.entries<number | string>(limits).map(([limit, value], index) => [
          limit,
          typeof value === "number" ? Number((value * 1.07 + 1).toFixed(3)) : `${index + 7}m`,
        ]),
      ),
    ]),
  ),
  disabled: Object.fromEntries(Object.keys(LIMITS).map((alert) => [alert, alert === "StacksChainReorgDeep"])),
});

interface Manifest {
  readonly kind: string;
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
  cpSync(join(root, "deploy/kubernetes"), join(copy, "deploy/kubernetes"), { recursive: true });
  const set = join(copy, "deploy/kubernetes/stateful-set.yaml");
  writeFileSync(set, readFileSync(set, "utf8").replace("replicas: 1", `replicas: ${replicas}`));
  const configuration = join(copy, "deploy/kubernetes/stacks-exporter.yaml");
  writeFileSync(configuration, readFileSync(configuration, "utf8").replace("count: 1", `count: ${replicas}`));
  return join(copy, "deploy/kubernetes");
}

describeBuilt("the chart", () => {
  test.each([1, 4])("has the objects of deploy/kubernetes, with %i shards", (shards) => {
    const { stdout } = run(kustomize, "build", kustomizationOf(shards));
    const built = manifestsOf(stdout);
    const fromChart = new Map(
      rendered(`shards: ${shards}${AS_KUSTOMIZE}`).map((manifest) => [keyOf(manifest), manifest]),
    );

    expect([...fromChart.keys()].sort()).toEqual(built.map(keyOf).sort());
    for (const manifest of built) {
      const other = fromChart.get(keyOf(manifest)) as Manifest;
      expect([keyOf(manifest), normalized(other)]).toEqual([keyOf(manifest), normalized(manifest)]);
    }
    expect(one(built, "StatefulSet").spec.replicas).toBe(shards);
    expect(complaints(commandOf(kubeconform), schemas, stdout)).toBe("");
  });

  beforeAll(() => writeSchemas(schemas), 120_000);

  test.each(Object.entries(COMBINATIONS))("is valid: %s", (_, values) => {
    const { status, stdout, stderr } = render(stringify(values));
    const linted = run(helm, "lint", "--strict", chart, "--values", join(folder, "values.yaml"));

    expect([linted.status, linted.status === 0 ? "" : linted.stdout]).toEqual([0, ""]);
    expect([status, stderr]).toEqual([0, ""]);
    expect(complaints(commandOf(kubeconform), schemas, stdout)).toBe("");
  });

  test("kubeconform knows a wrong value, and a key that does not exist", () => {
    const of = (values: string) => complaints(commandOf(kubeconform), schemas, render(values).stdout);

    expect(of("tolerations: [{ tolerationSeconds: soon }]")).toContain("tolerationSeconds");
    expect(of("podSecurityContext: { runAsRoot: true }")).toContain("runAsRoot");
    expect(of("serviceMonitor: { enabled: true, relabelings: [{ target: a }] }")).toContain("target");
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
    const cluster = await ScriptedServer.start((response, request) => {
      const body = found[request.url?.split("?")[0] ?? ""];
      json(body ?? {}, body === undefined ? 404 : 200)(response, request);
    });
    const names = ["--namespace", "monitoring", "--set", `shards=${shards}`, "--dry-run=server"];
    const child = spawn(
      commandOf(helm),
      ["template", "stacks-exporter", chart, ...names, "--kube-apiserver", cluster.url],
      { cwd: root, stdio: ["ignore", "ignore", "pipe"] },
    );
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text) => (said += text));
    const [status] = await once(child, "close");
    await cluster.close();

    expect(status === 0).toBe(refusal === undefined);
    expect(said).toContain(refusal ?? "");
  });

  test.each([
    ["the defaults", ""],
    ["other values", textOf("test/deploy/helm-rules.yaml")],
    ["another value of each limit", OTHERS],
  ])("writes the rules and dashboards of the command, with %s", async (_, text) => {
    const enabled =
      "prometheusRule: { enabled: true }\ndashboards: { enabled: true }\nexternalUrl: https://stacks.example\n";
    const manifests = rendered(`${enabled}rules:\n${text === "" ? "  {}" : text.replace(/^(?=.)/gm, "  ")}`);
    const [config, values, boards] = ["c.yaml", "v.yaml", "boards"].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    mkdirSync(boards, { recursive: true });
    writeFileSync(config, "web: { external_url: https://stacks.example }");
    writeFileSync(values, text);
    const written = await runCommand((io) => rules({ "config.file": config, values, boards }, io));

    expect(one(manifests, "PrometheusRule").spec).toEqual(parse(written.out));
    expect(written.out).toContain("group_left (group) stacks:address_info:newest");
    const configMaps = manifests.filter(({ metadata }) => metadata.labels?.grafana_dashboard === "1");
    expect(configMaps).toHaveLength(4);
    for (const { data } of configMaps) {
      const [[file, json]] = Object.entries(data as Record<string, string>) as [[string, string]];
      expect(JSON.parse(json)).toEqual(JSON.parse(readFileSync(join(boards, file), "utf8")));
    }
  });

  test("selects the series of its release, and links to its own runbooks", () => {
    const [group] = one(
      rendered("serviceMonitor: { enabled: true }\nprometheusRule: { enabled: true }\nservice: { port: 80 }", "a"),
      "PrometheusRule",
      "a-stacks-exporter",
    ).spec.groups.slice(-1);
    const { expr, annotations } = group.rules[0];

    expect(expr).toContain('{job="a-stacks-exporter", namespace="monitoring"}');
    expect(annotations.runbook_url).toMatch(/^http:\/\/a-stacks-exporter\.monitoring\.svc:10789\/runbooks\/exporter#/);
  });

  test.each([
    ["everyone can read the page", "{}", true],
    ["a network policy", "networkPolicy: { enabled: true }", false],
    ["a web configuration", "extraArgs: [--web.config.file=/etc/stacks-exporter/web.yml]", false],
  ])("warns in its notes: %s", (_, values, isWarned) => {
    // Helm shows notes only when it installs, so another template includes them.
    const copy = join(folder, "noted");
    cpSync(join(root, chart), copy, { recursive: true });
    const notes = '{{ include (print $.Template.BasePath "/NOTES.txt") . | nindent 2 }}';
    writeFileSync(join(copy, "templates/noted.yaml"), `notes: |\n${notes}\n`);
    writeFileSync(join(folder, "values.yaml"), values);
    const flags = ["--show-only", "templates/noted.yaml", "--values", join(folder, "values.yaml")];
    const { stdout } = run(helm, "template", "a", copy, "--namespace", "monitoring", ...flags);

    expect(stdout).toContain("kubectl --namespace monitoring port-forward pod/a-stacks-exporter-0 10789");
    expect(stdout.includes("WARNING: everyone")).toBe(isWarned);
  });

  test.each([
    ["a-very-long-name-of-a-release-that-helm-still-accepts", ""],
    ["a", "fullnameOverride: a-very-long-name-that-is-cut-after-fifty-two-characters-because-of-pods"],
  ])("names objects within the 63 characters of DNS, and of labels of pods: release %s, %s", (release, values) => {
    const manifests = rendered(`${AS_KUSTOMIZE}\n${values}`, release);
    const names = manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    // Kubernetes labels the pods of a StatefulSet with its name, a hyphen and a hash of 10 characters.
    const [set] = manifests.filter(({ kind }) => kind === "StatefulSet").map(({ metadata }) => metadata.name);
    expect(set?.length).toBeLessThanOrEqual(63 - 11);

    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => !/^\w+ [a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(name))).toEqual([]);
  });

  test("files keep every character", () => {
    const files = {
      "wallets.csv": "address,name\nSP2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRV9EJ7,a\n",
      "indented.txt": "  # two spaces before\nSP2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRV9EJ7\n\n",
      "1": "\r\n",
    };

    expect(one(rendered(stringify({ files })), "ConfigMap").data).toMatchObject(files);
  });

  test("refuses a misspelt value", () => {
    const { status, stderr } = render("persistance: { enabled: false }\n");

    expect(status).not.toBe(0);
    expect(stderr).toContain("persistance");
    expect(render("rules: { thresholds: { StacksFeeSpike: { feeRatio: three } } }").stderr).toContain("feeRatio");
  });
});
