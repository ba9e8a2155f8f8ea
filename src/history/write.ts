// Writes what was read: samples in even steps, one file for each day (UTC). The memory contains one day of one
// target, and the totals of all targets.
import { join } from "node:path";
import type { GroupSum } from "../collectors/group-families.ts";
import type { Family, Sample } from "../exposition/family.ts";
import { GroupTotal } from "../storage/group-total.ts";
import { OwnerText } from "./day-text.ts";
import { FamilyFiles } from "./family-files.ts";
import type { Past, Replay, Source } from "./past.ts";
import type { Range } from "./range.ts";
import type { Spool } from "./spool.ts";

/** The past of a target, all of which was read. */
export interface ReadPast {
  readonly past: Past;
  readonly source: Source;
}

/** Options of the files of a history. */
export interface WriteOptions {
  readonly folder: string;
  readonly network: string;
  readonly range: Range;
  /** Seconds between two samples. */
  readonly step: number;
  /** Labels that Prometheus adds when it scrapes the exporter. */
  readonly target: { readonly job: string; readonly instance: string };
  /** Every family of which there can be samples, in their order. */
  readonly families: readonly Family[];
  readonly isExposed: (name: string) => boolean;
  /** The sums of groups, by collector. */
  readonly sums: ReadonlyMap<string, readonly GroupSum[]>;
  /** Called after each file. */
  readonly onFile: (path: string, bytes: number) => void;
  /** Yields to other work, such as a signal. Rejects if the command was stopped. */
  readonly pause: () => Promise<void>;
}

const DAY = 86_400;

/** Writes all files, oldest first. Throws the errors of the file system, and what `pause` throws. */
export async function writeHistory(pasts: readonly ReadPast[], spool: Spool, options: WriteOptions): Promise<void> {
  const { folder, network, range, step, families, onFile, pause } = options;
  const owners = ownersOf(pasts, spool, options);
  for (let from = range.since; from <= range.until; ) {
    const day = Math.floor(from / DAY);
    const path = join(folder, `${network}-${new Date(day * DAY * 1000).toISOString().slice(0, 10)}.om`);
    const to = Math.min(range.until, (day + 1) * DAY - 1);
    const file = new FamilyFiles(path);
    try {
      for (const owner of owners) {
        await pause();
        for (const [family, lines] of owner.day(from, to)) file.append(family, lines);
      }
      onFile(path, file.finish(families));
    } finally {
      file.discard();
    }
    while (from <= to) from += step;
  }
}

/** An owner of series: a target, or a group. */
interface Owner {
  /** The lines of the samples from one time to another. */
  day(from: number, to: number): Iterable<readonly [Family, string]>;
}

function ownersOf(pasts: readonly ReadPast[], spool: Spool, options: WriteOptions): readonly Owner[] {
  const groups = Map.groupBy(pasts, ({ past: { collector, group } }) =>
    group === undefined ? undefined : `${collector} ${group}`,
  );
  return [...groups].flatMap(([key, members]) =>
    key === undefined
      ? members.map((member) => ownerOf(new Member(member, spool, options), options))
      : [ownerOf(new Group(members, spool, options), options)],
  );
}

/** Gives the samples at each time, in ascending order. */
interface Course {
  /** Prepares for the times after one and up to another. */
  load(after: number, to: number): void;
  /** The samples at the next time; the same object if they are the same. */
  next(at: number): readonly Sample[];
}

function ownerOf(course: Course, { range, step, target, isExposed }: WriteOptions): Owner {
  const text = new OwnerText(labelsOf(target), ({ name }) => isExposed(name));
  let begun: readonly Sample[] | undefined;
  return {
    *day(from, to) {
      course.load(from - step, to + step);
      let at = from;
      for (; at <= to; at += step) {
        text.add(begun ?? course.next(at), at);
        begun = undefined;
      }
      // Series that begin with the next day need a 0 in this one.
      if (at <= range.until) {
        begun = course.next(at);
        text.addZeros(begun);
      }
      yield* text.take();
    },
  };
}

const labelsOf = (target: WriteOptions["target"]): string =>
  Object.entries(target)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(",");

/** A target. */
class Member implements Course {
  readonly #replay: Replay;
  readonly #spool: Spool;
  readonly #start: number;
  readonly #isKnown: (family: Family) => boolean;
  #rows: ReturnType<Spool["rows"]> = [];
  #used = 0;
  #begun: { readonly state: unknown; readonly samples: readonly Sample[] } | undefined;

  constructor({ past, source }: ReadPast, spool: Spool, { range }: WriteOptions) {
    this.#replay = past.replay(source, spool);
    this.#spool = spool;
    this.#start = range.since - past.lead;
    const unknown = new Set(past.unknown);
    this.#isKnown = (family) => !unknown.has(family);
  }

  load(after: number, to: number): void {
    const { list, additions } = this.#replay;
    // The first step of a day was taken at the end of the one before.
    const from = this.#begun === undefined ? this.#start : (this.#rows[this.#used - 1]?.time ?? after);
    this.#rows = this.#spool.rows(list, from, to, additions);
    this.#used = 0;
  }

  next(at: number): readonly Sample[] {
    const first = this.#used;
    while ((this.#rows[this.#used]?.time ?? Number.POSITIVE_INFINITY) <= at) this.#used += 1;
    const rows = this.#rows.slice(first, this.#used);
    const before = this.#begun;
    const state = before === undefined ? this.#replay.begin(rows, at) : this.#replay.advance(before.state, rows, at);
    if (before !== undefined && before.state === state) return before.samples;
    const samples = [...this.#replay.samples(state)].filter(({ family }) => this.#isKnown(family));
    this.#begun = { state, samples };
    return samples;
  }
}

/** A group that is exported as sums. */
class Group implements Course {
  readonly #members: readonly Member[];
  readonly #total: GroupTotal;
  readonly #before = new Map<Member, readonly Sample[]>();
  #samples: readonly Sample[] = [];

  constructor(members: readonly ReadPast[], spool: Spool, options: WriteOptions) {
    const { collector, group = "" } = (members[0] as ReadPast).past;
    this.#members = members.map((member) => new Member(member, spool, options));
    this.#total = new GroupTotal(
      { network: options.network, collector, group },
      options.sums.get(collector) ?? [],
      undefined,
    );
  }

  load(after: number, to: number): void {
    for (const member of this.#members) member.load(after, to);
  }

  next(at: number): readonly Sample[] {
    for (const member of this.#members) {
      const before = this.#before.get(member);
      const samples = member.next(at);
      if (samples === before) continue;
      this.#total.take(member, samples, this.#total.next(before ?? [], samples));
      this.#before.set(member, samples);
    }
    if (this.#total.isChanged) this.#samples = [...this.#total.samples()];
    return this.#samples;
  }
}
