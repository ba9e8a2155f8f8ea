// The active faults.
import { pathPattern } from "../http/operation.ts";
import type { Fault, FaultRule } from "./fault.ts";

/** Faults, added and removed while the simulator runs. */
export class FaultList {
  #entries: { readonly rule: FaultRule; readonly pattern: RegExp; left: number }[] = [];

  /** Adds a fault. */
  add(rule: FaultRule): void {
    const { path = "*", count = Infinity } = rule;
    this.#entries.push({ rule, pattern: pathPattern(path), left: count });
  }

  /** Replaces all faults by this one. */
  set(rule: FaultRule): void {
    this.clear();
    this.add(rule);
  }

  /** Removes all faults. */
  clear(): void {
    this.#entries = [];
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
