// The active faults.
import { pathPattern } from "../http/operation.ts";
import type { Fault, FaultRule } from "./fault.ts";

/** Faults, added and removed while the simulator runs. */
export class FaultList {
  #entries: { readonly id: number; readonly rule: FaultRule; readonly pattern: RegExp; left: number }[] = [];
  #ids = 0;

  /** Adds a fault; returns its id for `clear`. */
  add(rule: FaultRule): number {
    this.#ids += 1;
    const { path = "*", count = Infinity } = rule;
    this.#entries.push({ id: this.#ids, rule, pattern: pathPattern(path), left: count });
    return this.#ids;
  }

  /** Replaces all faults by this one. */
  set(rule: FaultRule): number {
    this.clear();
    return this.add(rule);
  }

  /** Removes one fault, or all. */
  clear(id?: number): void {
    this.#entries = id === undefined ? [] : this.#entries.filter((entry) => entry.id !== id);
  }

  /** The faults for a request of this path, oldest first; counts the request. */
  take(pathname: string): readonly Fault[] {
    const hit = this.#entries.filter(({ pattern }) => pattern.test(pathname));
    for (const entry of hit) entry.left -= 1;
    this.#entries = this.#entries.filter(({ left }) => left > 0);
    return hit.map(({ rule }) => rule);
  }

  /** The active faults with their remaining counts. */
  list(): readonly FaultRule[] {
    return this.#entries.map(({ rule, left }) => (Number.isFinite(left) ? { ...rule, count: left } : rule));
  }
}
