// Checks manifests with kubeconform against the schemas in the Go modules of Kubernetes and of the Prometheus Operator.
// A key that a schema does not have is an error.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The modules, with the hashes of their content. */
const MODULES = {
  "k8s.io/kubernetes@v1.34.2": "h1:WQdDvYJazkmkwSncgNwGvVtaCt4TYXIU3wSMRgvp3MI=",
  "github.com/prometheus-operator/prometheus-operator@v0.85.0": "h1:M5xLCLEoaW2IJfnuCwFzzpL+jSVQu3KGT84Pye+fW8s=",
};

/** The kinds of the chart: files of Kubernetes with the name of their schema, and definitions of the operator. */
const KINDS = {
  ConfigMap: "api__v1 io.k8s.api.core.v1",
  Service: "api__v1 io.k8s.api.core.v1",
  ServiceAccount: "api__v1 io.k8s.api.core.v1",
  StatefulSet: "apis__apps__v1 io.k8s.api.apps.v1",
  NetworkPolicy: "apis__networking.k8s.io__v1 io.k8s.api.networking.v1",
  PodDisruptionBudget: "apis__policy__v1 io.k8s.api.policy.v1",
};
const CUSTOM = ["ServiceMonitor", "PrometheusRule"];

function folderOf(module: keyof typeof MODULES): string {
  const { status, stdout, stderr } = spawnSync("go", ["mod", "download", "-json", module], { encoding: "utf8" });
  if (status !== 0) throw new Error(`go mod download ${module}: ${stdout}${stderr}`);
  const { Dir, Sum } = JSON.parse(stdout) as { readonly Dir: string; readonly Sum: string };
  if (Sum !== MODULES[module]) throw new Error(`${module}: expected ${MODULES[module]}, found ${Sum}`);
  return Dir;
}

const jsonOf = (path: string) => JSON.parse(readFileSync(path, "utf8"));

/** The schema, in which an object has only the properties that are declared. */
function strict(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(strict);
  if (typeof schema !== "object" || schema === null) return schema;
  const node = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, strict(value)]));
  const isClosed = typeof node.properties === "object" && node.additionalProperties === undefined;
  return isClosed && node["x-kubernetes-preserve-unknown-fields"] !== true
    ? { ...node, additionalProperties: false }
    : node;
}

/** Writes the schemas to a folder. */
export function writeSchemas(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const [kubernetes, operator] = (Object.keys(MODULES) as (keyof typeof MODULES)[]).map(folderOf);
  for (const [kind, text] of Object.entries(KINDS)) {
    const [file, group] = text.split(" ");
    const { components } = jsonOf(`${kubernetes}/api/openapi-spec/v3/${file}_openapi.json`);
    const schema = { $ref: `#/components/schemas/${group}.${kind}`, components: strict(components) };
    writeFileSync(join(folder, `${kind.toLowerCase()}.json`), JSON.stringify(schema));
  }
  for (const kind of CUSTOM) {
    const { spec } = jsonOf(`${operator}/jsonnet/prometheus-operator/${kind.toLowerCase()}s-crd.json`);
    const schema = strict(spec.versions[0].schema.openAPIV3Schema);
    writeFileSync(join(folder, `${kind.toLowerCase()}.json`), JSON.stringify(schema));
  }
}

/** What kubeconform says against manifests; empty if they are valid. */
export function complaints(command: string, folder: string, manifests: string): string {
  const { status, stdout, stderr, error } = spawnSync(
    command,
    ["-strict", "-summary", "-schema-location", `${folder}/{{ .ResourceKind }}.json`],
    { input: manifests, encoding: "utf8" },
  );
  if (error !== undefined) throw error;
  return status === 0 ? "" : `${stdout}${stderr}`;
}
