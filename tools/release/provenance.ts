// Describes how the files of a release were created: an in-toto statement with a SLSA provenance, not signed.

export interface Subject {
  readonly name: string;
  readonly sha256: string;
}

export interface Source {
  /** The address of the repository, undefined when it has none. */
  readonly repository: string | undefined;
  readonly commit: string;
  /** Whether the files differ from the commit. */
  readonly isChanged: boolean;
  readonly lockSha256: string;
}

export interface Build {
  readonly version: string;
  readonly node: string;
  /** The page of the run of a workflow, undefined on a machine of a developer. */
  readonly run: string | undefined;
  readonly startedOn: Date;
  readonly finishedOn: Date;
}

// Names of this project: a type needs an identifier, not an address.
const NAMES = "urn:x-stacks-exporter";

/** The statement, to be written as JSON. */
export function provenance(subjects: readonly Subject[], source: Source, build: Build): object {
  return {
    _type: "https://in-toto.io/Statement/v1",
    subject: subjects.map(({ name, sha256 }) => ({ name, digest: { sha256 } })),
    predicateType: "https://slsa.dev/provenance/v1",
    predicate: {
      buildDefinition: {
        buildType: `${NAMES}:release:v1`,
        externalParameters: { command: "npm run release", version: build.version },
        internalParameters: { node: build.node, sourceIsChanged: source.isChanged },
        resolvedDependencies: [
          {
            name: "source",
            ...(source.repository === undefined ? {} : { uri: `git+${source.repository}` }),
            digest: { gitCommit: source.commit },
          },
          { name: "package-lock.json", digest: { sha256: source.lockSha256 } },
        ],
      },
      runDetails: {
        builder: { id: build.run === undefined ? `${NAMES}:local` : build.run.replace(/\/actions\/runs\/.*$/, "") },
        metadata: {
          ...(build.run === undefined ? {} : { invocationId: build.run }),
          startedOn: build.startedOn.toISOString(),
          finishedOn: build.finishedOn.toISOString(),
        },
      },
    },
  };
}
