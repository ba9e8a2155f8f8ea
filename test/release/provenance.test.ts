import { expect, test } from "@jest/globals";
import { provenance } from "../../tools/release/provenance.ts";

const subjects = [{ name: "a.tgz", sha256: "aa" }];
const source = { repository: undefined, commit: "cc", isChanged: true, lockSha256: "bb" };
const build = { version: "1.0.0", node: "v24.0.0", run: undefined, startedOn: new Date(0), finishedOn: new Date(1000) };

test("it names the files, the commit, and what differs from it", () => {
  expect(provenance(subjects, source, build)).toMatchObject({
    _type: "https://in-toto.io/Statement/v1",
    subject: [{ name: "a.tgz", digest: { sha256: "aa" } }],
    predicateType: "https://slsa.dev/provenance/v1",
    predicate: {
      buildDefinition: {
        externalParameters: { version: "1.0.0" },
        internalParameters: { sourceIsChanged: true },
        resolvedDependencies: [
          { name: "source", digest: { gitCommit: "cc" } },
          { name: "package-lock.json", digest: { sha256: "bb" } },
        ],
      },
      runDetails: { metadata: { startedOn: "1970-01-01T00:00:00.000Z", finishedOn: "1970-01-01T00:00:01.000Z" } },
    },
  });
});

test("without a repository there is no address, and the builder is this machine", () => {
  const text = JSON.stringify(provenance(subjects, source, build));

  expect(text).toContain('"builder":{"id":"urn:x-stacks-exporter:local"}');
  expect(text).not.toContain('"uri"');
  expect(text).not.toContain("invocationId");
});

test("in a workflow the repository is the builder", () => {
  const repository = "https://git.test/me/stacks-exporter";
  const run = `${repository}/actions/runs/7`;

  expect(provenance(subjects, { ...source, repository }, { ...build, run })).toMatchObject({
    predicate: {
      buildDefinition: { resolvedDependencies: [{ uri: `git+${repository}` }, {}] },
      runDetails: { builder: { id: repository }, metadata: { invocationId: run } },
    },
  });
});
