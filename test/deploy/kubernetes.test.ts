// The manifests of deploy/kubernetes are valid and consistent.
import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "@jest/globals";
import { documentsOf, root, yamlOf } from "./files.ts";

const folder = "deploy/kubernetes";
const kustomization = yamlOf<{
  resources: string[];
  configMapGenerator: { name: string; files: string[] }[];
}>(`${folder}/kustomization.yaml`);

interface Manifest {
  readonly kind: string;
  // biome-ignore lint/suspicious/noExplicitAny: kubeconform checks the shape, in test/deploy/helm.long.test.ts
  readonly [key: string]: any;
}
const manifests = kustomization.resources
  .filter((resource) => resource.endsWith(".yaml"))
  .flatMap((resource) => documentsOf<Manifest>(`${folder}/${resource}`));
const [statefulSet] = manifests.filter(({ kind }) => kind === "StatefulSet") as [Manifest];

test("kustomize takes every file of the folder, and every dashboard", () => {
  const named = [...kustomization.resources, ...kustomization.configMapGenerator.flatMap(({ files }) => files)];
  const boards = yamlOf<{ configMapGenerator: { name: string; files: string[] }[] }>(
    `${folder}/boards/kustomization.yaml`,
  );
  const namedBoards = boards.configMapGenerator.flatMap(({ files }) => files);
  const others = (path: string, names: readonly string[]) =>
    readdirSync(resolve(root, folder, path)).filter((name) => !names.includes(name));

  expect(others("", named)).toEqual(["kustomization.yaml"]);
  expect(others("boards", namedBoards)).toEqual(["kustomization.yaml"]);
  const json = readdirSync(resolve(root, "dashboards/json")).filter((name) => name.endsWith(".json"));
  expect(namedBoards.sort()).toEqual(json.sort());
  const names = [...kustomization.configMapGenerator, ...boards.configMapGenerator].map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

test("the pod is restricted, probed and limited", () => {
  const pod = statefulSet.spec?.template.spec;
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
  const container = statefulSet.spec?.template.spec?.containers[0];
  const port = container?.ports?.find(({ name }: { name: string }) => name === "probes")?.containerPort;

  expect(container?.args?.slice(-2)).toEqual(["--web.probe-address", `:${port}`]);
});

test("each pod is a shard with its own state file, which outlives it", () => {
  const { metadata, spec } = statefulSet;
  const mounts = spec?.template.spec?.containers[0]?.volumeMounts ?? [];
  const [claim] = spec?.volumeClaimTemplates ?? [];
  const { shard } = yamlOf<{ shard: object }>(`${folder}/stacks-exporter.yaml`);

  expect([spec?.replicas, spec?.podManagementPolicy, spec?.serviceName]).toEqual([1, "Parallel", metadata?.name]);
  expect(mounts.find(({ name }: { name: string }) => name === claim?.metadata?.name)?.mountPath).toBe("/data");
  expect(shard).toEqual({ index: "hostname", count: spec?.replicas });
});
