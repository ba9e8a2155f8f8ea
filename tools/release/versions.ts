// The places that name the version of the project. They have to agree, and the changelog has to describe the version.
import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { notesOf } from "./changelog.ts";

const root = new URL("../../", import.meta.url);
const text = (path: string) => readFileSync(new URL(path, root), "utf8");

/** The version in package.json. */
export const version = (JSON.parse(text("package.json")) as { version: string }).version;

/** The version in each other place, by what the place is. */
export function versionsElsewhere(): Readonly<Record<string, string | undefined>> {
  const { images } = parse(text("deploy/kubernetes/kustomization.yaml")) as { images: [{ newTag: string }] };
  const chart = parse(text("deploy/helm/stacks-exporter/Chart.yaml")) as { version: string; appVersion: string };
  return {
    "version of deploy/helm/stacks-exporter/Chart.yaml": chart.version,
    "appVersion of deploy/helm/stacks-exporter/Chart.yaml": chart.appVersion,
    "package-lock.json": (JSON.parse(text("package-lock.json")) as { version: string }).version,
    "ARG VERSION of Dockerfile": /^ARG VERSION=(\S+)$/m.exec(text("Dockerfile"))?.[1],
    "newTag of deploy/kubernetes/kustomization.yaml": images[0].newTag,
  };
}

/** The problems of the version, one sentence each. */
export function versionProblems(): string[] {
  const wrong = Object.entries(versionsElsewhere())
    .filter(([, found]) => found !== version)
    .map(([place, found]) => `${place}: expected ${version}, found ${found ?? "none"}`);
  const notes = notesOf(text("CHANGELOG.md"), version);
  if (notes === undefined) wrong.push(`CHANGELOG.md: expected a section "## [${version}] - YYYY-MM-DD", found none`);
  return wrong;
}

/** The URL of the repository in package.json, as a browser has it; undefined without one. */
export function repositoryUrl(): string | undefined {
  const { repository } = JSON.parse(text("package.json")) as { repository?: { url?: string } };
  return repository?.url?.replace(/^git\+/, "").replace(/\.git$/, "");
}

/** Problems that npm rejects: it publishes from a workflow only a package that names the repository of the workflow. */
export function repositoryProblems(expected: string | undefined): string[] {
  const found = repositoryUrl();
  if (expected === undefined || found === expected) return [];
  return [`repository.url of package.json: expected git+${expected}.git, found ${found ?? "none"}`];
}
