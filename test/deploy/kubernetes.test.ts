// The manifests of deploy/kubernetes are valid and consistent.
import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "@jest/globals";
import type { IStatefulSet } from "kubernetes-models/apps/v1";
import { documentsOf, root, yamlOf } from "./files.ts";
import { complaints, type Typed } from "./manifest-types.ts";

const folder = "deploy/kubernetes";
const kustomization = yamlOf<{
  resources: string[];
  configMapGenerator: { name: string; files: string[] }[];
}>(`${folder}/kustomization.yaml`);

interface Manifest extends Typed {
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
}
const manifests = kustomization.resources
  .filter((resource) => resource.endsWith(".yaml"))
  .flatMap((resource) => documentsOf<Manifest>(`${folder}/${resource}`));
const manifest = <T>(kind: string) => manifests.find((one) => one.kind === kind) as unknown as T;

test("every manifest matches its type", () => {
  expect(manifests.map(({ kind }) => kind).sort()).toEqual(
    ["NetworkPolicy", "PodDisruptionBudget", "PrometheusRule", "Service", "ServiceMonitor", "StatefulSet"].sort(),
  );
  expect(complaints(manifests)).toEqual([]);
});

test("kustomize takes every file of the folder, and every dashboard", () => {
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
  const pod = manifest<IStatefulSet>("StatefulSet").spec?.template.spec;
  const container = pod?.containers[0];

  expect(pod).toMatchObject({
    automountServiceAccountToken: false,
    securityContext: { runAsNonRoot: true, runAsUser: 1000, fsGroup: 1000, seccompProfile: { type: "RuntimeDefault" } },
  });
  expect(container).toMatchObject({
    securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ["ALL"] } },
    startupProbe: { httpGet: { path: "/-/healthy", port: "probes" } },
    livenessProbe: { httpGet: { path: "/-/healthy", port: "probes" } },
    readinessProbe: { httpGet: { path: "/-/ready", port: "probes" } },
    resources: {
      requests: { cpu: expect.any(String), memory: expect.any(String) },
      limits: { memory: expect.any(String) },
    },
  });
});

test("probes are served on their own port", () => {
  const container = manifest<IStatefulSet>("StatefulSet").spec?.template.spec?.containers[0];
  const port = container?.ports?.find(({ name }) => name === "probes")?.containerPort;

  expect(container?.args?.slice(-2)).toEqual(["--web.probe-address", `:${port}`]);
});

test("each pod is a shard with its own state file, which outlives it", () => {
  const { metadata, spec } = manifest<IStatefulSet>("StatefulSet");
  const mounts = spec?.template.spec?.containers[0]?.volumeMounts ?? [];
  const [claim] = spec?.volumeClaimTemplates ?? [];
  const { shard } = yamlOf<{ shard: object }>(`${folder}/stacks-exporter.yaml`);

  expect([spec?.replicas, spec?.podManagementPolicy, spec?.serviceName]).toEqual([1, "Parallel", metadata?.name]);
  expect(mounts.find(({ name }) => name === claim?.metadata?.name)?.mountPath).toBe("/data");
  expect(shard).toEqual({ index: "hostname", count: spec?.replicas });
});
