// The mistakes found so far, each with its place in the file and with what may be shown of the value that is wrong.
import type { Expansion } from "./environment.ts";
import { describeValue, formatPath, type Mistake, type Path } from "./mistakes.ts";
import { expectationOf, nodeAt, type SchemaNode } from "./schema.ts";
import type { Source } from "./source.ts";
import { closest } from "./spelling.ts";

/** Collects mistakes: one for each value at most, because the second is often a consequence of the first. */
export class Findings {
  readonly mistakes: Mistake[] = [];
  readonly #source: Source;
  readonly #origins: Expansion["origins"];
  readonly #makeTree: () => SchemaNode;
  readonly #known = new Set<string>();
  #tree: SchemaNode | undefined;

  /** `makeTree` is called when it is needed: a start without a file does not pay for it. */
  constructor(source: Source, { origins, problems }: Expansion, makeTree: () => SchemaNode) {
    this.#source = source;
    this.#origins = origins;
    this.#makeTree = makeTree;
    for (const { path, message } of problems) this.add(path, message);
  }

  /** The settings as a tree. */
  get tree(): SchemaNode {
    this.#tree ??= this.#makeTree();
    return this.#tree;
  }

  /** Whether the value was found wrong. */
  has(path: Path): boolean {
    return this.#known.has(formatPath(path));
  }

  /** The text in the file of a value that holds something of the environment. */
  originOf(path: Path): string | undefined {
    return this.#origins.get(formatPath(path));
  }

  /** Notes what is wrong with a setting. */
  add(path: Path, message: string, part: "key" | "value" = "value"): void {
    const text = formatPath(path);
    if (this.#known.has(text)) return;
    this.#known.add(text);
    this.mistakes.push({ file: this.#source.file, ...this.#source.locate(path, part), path: text, message });
  }

  /** Notes that a value is not what was expected; by default, what the table of settings expects. */
  unexpected(path: Path, value: unknown, expected?: string): void {
    const expectation = expected ?? expectationOf(nodeAt(this.tree, path) ?? {});
    if (value === undefined) this.add(path, `missing, expected ${expectation}`);
    else this.add(path, `expected ${expectation}, found ${this.describe(path, value)}`);
  }

  /** Notes a key that is no setting, with the setting that may have been meant. */
  unknownKey(parent: Path, key: string): void {
    const known = Object.keys(nodeAt(this.tree, parent)?.properties ?? {});
    const meant = closest(key, known);
    const hint = meant === undefined ? `known here: ${known.join(", ")}` : `did you mean "${meant}"?`;
    this.add([...parent, key], `unknown setting; ${hint}`, "key");
  }

  /** What may be shown of a value. */
  describe(path: Path, value: unknown): string {
    if (value === null || typeof value === "object") return describeValue(value);
    // A key may have been written one level too deep, so whatever is below a secret is one too.
    if (path.some((_, index) => nodeAt(this.tree, path.slice(0, index + 1))?.sensitive === true)) return "***";
    const origin = this.originOf(path);
    return origin === undefined ? describeValue(value) : `the value of ${describeValue(origin)}`;
  }
}
