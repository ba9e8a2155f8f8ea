// The faults that are on, and which of them hit a request.
import { pathPattern } from "../http/path-pattern.ts";
import type { Fault, FaultRule } from "./fault.ts";

interface Entry {
  readonly id: number;
  readonly rule: FaultRule;
  readonly pattern: RegExp;
  left: number;
}

/** Faults, switched on and off while the simulator runs. */
export class FaultList {
  #entries: Entry[] = [];
  #ids = 0;

  /** Switches a fault on; returns its number for `clear`. */
  add(rule: FaultRule): number {
    this.#ids += 1;
    const entry = { id: this.#ids, rule, pattern: pathPattern(rule.path ?? "*"), left: rule.count ?? Infinity };
    this.#entries.push(entry);
    return this.#ids;
  }

  /** Switches every other fault off and this one on. */
  set(rule: FaultRule): number {
    this.clear();
    return this.add(rule);
  }

  /** Switches one fault off, or all. */
  clear(id?: number): void {
    this.#entries = id === undefined ? [] : this.#entries.filter((entry) => entry.id !== id);
  }

  /** The faults that hit a request of this path, oldest first; counts the hit. */
  take(pathname: string): readonly Fault[] {
    const hit = this.#entries.filter(({ pattern }) => pattern.test(pathname));
    for (const entry of hit) entry.left -= 1;
    if (hit.length > 0) this.#entries = this.#entries.filter(({ left }) => left > 0);
    return hit.map(({ rule }) => rule);
  }

  /** What is on. */
  list(): readonly FaultRule[] {
    return this.#entries.map(({ rule, left }) => (Number.isFinite(left) ? { ...rule, count: left } : rule));
  }
}
