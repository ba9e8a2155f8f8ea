// Declarations of metric families. This file does not render, store or register them.

/** A label: what it means, and its values when they are known beforehand. */
export interface Label {
  readonly about: string;
  /** All values that exist from the start; absent if they depend on the configuration or on responses. */
  readonly values?: readonly string[];
}

/** A declared metric family. */
export interface Family<Name extends string = string> {
  readonly kind: "gauge" | "counter";
  readonly name: string;
  readonly help: string;
  /** The unit that ends its name, as Prometheus wants. Most counts, such as transactions, have none. */
  readonly unit: string | undefined;
  readonly labels: Readonly<Record<Name, Label>>;
  readonly labelNames: readonly Name[];
  /** Samples may have additional labels, named in the configuration. */
  readonly isOpen: boolean;
  /** Creates a sample. Amounts may be bigint: they are converted once, at rendering. */
  at(labels: Readonly<Record<Name, string>>, value: number | bigint): Sample;
  toString(): string;
}

/** One sample: a series and its value. */
export interface Sample {
  readonly family: Family;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number | bigint;
  /** Of a counter. Without one, the exemplar of the last sample of the series stays. */
  readonly exemplar?: Exemplar | undefined;
}

/** What has increased a counter. Labels have at most 128 characters, with their names. */
export interface Exemplar {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number | bigint;
  /** Unix time in seconds; undefined if unknown. */
  readonly time?: number | undefined;
}

/** What a family declares. */
export interface Declaration<Name extends string> {
  readonly name: string;
  /** One sentence: what is measured, in which state. The source is added by `source`. */
  readonly help: string;
  /** Operation and field of the value. @default none: a metric of the exporter itself */
  readonly source?: string;
  /** @default false */
  readonly isOpen?: boolean;
  readonly labels?: Readonly<Record<Name, Label | string>>;
}

// A count of blocks or requests has no unit.
const UNIT = /_(seconds|bytes|blocks|microstx|ratio|requests)$|_(seconds|bytes|microstx)_total$/;

// Families with the same labels share the list of their names, so that it compares by identity.
const namesByText = new Map<string, readonly string[]>();

function namesOf<Name extends string>(labels: Readonly<Record<Name, Label>>): readonly Name[] {
  const names = Object.keys(labels);
  const known = namesByText.get(names.join()) ?? names;
  namesByText.set(names.join(), known);
  return known as readonly Name[];
}

function declare<Name extends string>(kind: Family["kind"], declaration: Declaration<Name>): Family<Name> {
  const labels = Object.fromEntries(
    Object.entries<Label | string>(declaration.labels ?? {}).map(([name, label]) => [
      name,
      typeof label === "string" ? { about: label } : label,
    ]),
  ) as Record<Name, Label>;
  const [, ofGauge, ofTotal] = UNIT.exec(declaration.name) ?? [];
  const family: Family<Name> = {
    kind,
    name: declaration.name,
    help: declaration.source === undefined ? declaration.help : `${declaration.help} Source: ${declaration.source}.`,
    unit: ofGauge ?? ofTotal,
    labels,
    labelNames: namesOf(labels),
    isOpen: declaration.isOpen ?? false,
    at: (labels, value) => ({ family, labels, value }),
    toString: () => declaration.name,
  };
  return family;
}

/** A value that can go down; it disappears when it is older than its maximum age. */
export function gauge<const Name extends string = never>(declaration: Declaration<Name>): Family<Name> {
  return declare("gauge", declaration);
}

/** A total that only grows; it stays on the page when its source is silent. */
export function counter<const Name extends string = never>(declaration: Declaration<Name>): Family<Name> {
  return declare("counter", declaration);
}
