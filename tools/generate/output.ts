/** One generated file. */
export interface Output {
  /** From the root of the project. */
  readonly path: string;
  /** The whole content, with a line break at the end. */
  render(): string | Promise<string>;
}
