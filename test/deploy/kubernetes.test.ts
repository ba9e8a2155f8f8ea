// Checks the manifests of deploy/kubernetes against the types of Kubernetes and of the Prometheus Operator: TypeScript
// rejects a wrong value and, unlike most validators, an unknown key.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "@jest/globals";
import type { IDeployment } from "kubernetes-models/apps/v1";
import type { IPersistentVolumeClaim, IService } from "kubernetes-models/v1";
import { documentsOf, root, yamlOf } from "./files.ts";

const folder = "deploy/kubernetes";
const kustomization = yamlOf<{
  resources: string[];
  configMapGenerator: { name: string; files: string[] }[];
  images: { name: string; newTag: string }[];
}>(`${folder}/kustomization.yaml`);

const MODULES: Readonly<Record<string, string>> = {
  "apps/v1": "kubernetes-models/apps/v1",
  v1: "kubernetes-models/v1",
  "monitoring.coreos.com/v1": "@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1",
};

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
}
const manifests = kustomization.resources
  .filter((resource) => resource.endsWith(".yaml"))
  .flatMap((resource) => documentsOf<Manifest>(`${folder}/${resource}`));
const manifest = <T>(kind: string) => manifests.find((one) => one.kind === kind) as unknown as T;

/** What the compiler says of the manifests as literals of their types. */
function complaints(list: readonly Manifest[]): string[] {
  // Within node_modules, where the compiler finds the types.
  const cache = join(root, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const here = mkdtempSync(join(cache, "manifests-"));
  try {
    const source = list.map(
      (one, index) =>
        `import type { I${one.kind} as T${index} } from "${MODULES[one.apiVersion]}";\nexport const m${index}: T${index} = ${JSON.stringify(one)};\n`,
    );
    writeFileSync(join(here, "manifests.ts"), source.join(""));
    const { stdout, error } = spawnSync(
      resolve(root, "node_modules/.bin/tsc"),
      [
        "--noEmit",
        "--strict",
        "--skipLibCheck",
        "--ignoreConfig",
        "--module",
        "nodenext",
        "--target",
        "es2022",
        "manifests.ts",
      ],
      { cwd: here, encoding: "utf8" },
    );
    if (error !== undefined) throw error;
    return stdout.split("\n").filter((line) => line.includes("error"));
  } finally {
    rmSync(here, { recursive: true });
  }
}

test("every manifest is of its type", () => {
  expect(manifests.map(({ kind }) => kind).sort()).toEqual(
    ["Deployment", "PersistentVolumeClaim", "PrometheusRule", "Service", "ServiceMonitor"].sort(),
  );
  expect(complaints(manifests)).toEqual([]);
});

test("a misspelt key and a wrong value would be seen", () => {
  const monitor = manifest<Manifest & { spec: { endpoints: object[] } }>("ServiceMonitor");
  const deployment = manifest<Manifest & { spec: object }>("Deployment");
  const broken = [
    { ...monitor, spec: { ...monitor.spec, endpoints: [{ port: "metrics", intervall: "15s" }] } },
    { ...deployment, spec: { ...deployment.spec, replicas: "1" } },
  ];

  expect(complaints(broken).map((line) => /'"?(intervall|string)"?'/.exec(line)?.[1])).toEqual(["intervall", "string"]);
});

test("kustomize takes every file of the folder, and every board", () => {
  const named = [...kustomization.resources, ...kustomization.configMapGenerator.flatMap(({ files }) => files)];
  const boards = yamlOf<{ configMapGenerator: { name: string; files: string[] }[] }>("dashboards/kustomization.yaml");

  expect(readdirSync(resolve(root, folder)).filter((name) => !named.includes(name))).toEqual(["kustomization.yaml"]);
  expect(boards.configMapGenerator.flatMap(({ files }) => files).sort()).toEqual(
    readdirSync(resolve(root, "dashboards/json"))
      .map((name) => `json/${name}`)
      .sort(),
  );
  const names = [...kustomization.configMapGenerator, ...boards.configMapGenerator].map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

test("the pod is restricted, probed and limited", () => {
  const pod = manifest<IDeployment>("Deployment").spec?.template.spec;
  const container = pod?.containers[0];

  expect(pod).toMatchObject({
    automountServiceAccountToken: false,
    securityContext: { runAsNonRoot: true, runAsUser: 1000, fsGroup: 1000, seccompProfile: { type: "RuntimeDefault" } },
  });
  expect(container).toMatchObject({
    securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ["ALL"] } },
    startupProbe: { httpGet: { path: "/-/healthy", port: "metrics" } },
    livenessProbe: { httpGet: { path: "/-/healthy", port: "metrics" } },
    readinessProbe: { httpGet: { path: "/-/ready", port: "metrics" } },
    resources: {
      requests: { cpu: expect.any(String), memory: expect.any(String) },
      limits: { memory: expect.any(String) },
    },
  });
});

test("one exporter at a time, whose state outlives it", () => {
  const { spec } = manifest<IDeployment>("Deployment");
  const claim = manifest<IPersistentVolumeClaim>("PersistentVolumeClaim");
  const mounts = spec?.template.spec?.containers[0]?.volumeMounts ?? [];
  const volume = spec?.template.spec?.volumes?.find(
    ({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName === claim.metadata?.name,
  );

  expect([spec?.replicas, spec?.strategy?.type]).toEqual([1, "Recreate"]);
  expect(mounts.find(({ name }) => name === volume?.name)?.mountPath).toBe("/data");
});

test("the service finds the pod, and the monitor the service", () => {
  const pod = manifest<IDeployment>("Deployment").spec?.template.metadata?.labels;
  const service = manifest<IService>("Service");
  const monitor = manifest<{ spec: { selector: { matchLabels: object }; endpoints: { port: string }[] } }>(
    "ServiceMonitor",
  );

  expect(pod).toMatchObject(service.spec?.selector ?? { nothing: "selected" });
  expect(service.metadata?.labels).toMatchObject(monitor.spec.selector.matchLabels);
  expect(service.spec?.ports?.map(({ name }) => name)).toEqual(monitor.spec.endpoints.map(({ port }) => port));
  expect(service.spec?.publishNotReadyAddresses).toBe(true);
});

test("the image is of the version of the package", () => {
  const { version } = yamlOf<{ version: string }>("package.json");

  expect(kustomization.images).toEqual([{ name: "stacks-exporter", newName: "stacks-exporter", newTag: version }]);
});
