// Part of npm run check: comments and Markdown have at most 120 characters per line. biome wraps only code.
import { globSync, readFileSync } from "node:fs";

const MAX_LENGTH = 120;
const COMMENT = /^\s*(\/\/|\/?\*)/;
// A table row, and a line with a URL, cannot be broken.
const UNBREAKABLE = /^\||https?:\/\//;

/** The lines of Markdown outside of code blocks; the others are empty. */
function proseOf(lines: readonly string[]): readonly string[] {
  let isCode = false;
  return lines.map((line) => {
    const isFence = line.trimStart().startsWith("```");
    if (isFence) isCode = !isCode;
    return isFence || isCode ? "" : line;
  });
}

let found = 0;
for (const path of globSync(["{alerts,dashboards,simulator,src,test,tools}/**/*.ts", "{*,docs/**/*}.md"])) {
  const lines = readFileSync(path, "utf8").split("\n");
  const prose = path.endsWith(".md") ? proseOf(lines) : lines.map((line) => (COMMENT.test(line) ? line : ""));
  for (const [index, line] of prose.entries()) {
    if (line.length <= MAX_LENGTH || UNBREAKABLE.test(line)) continue;
    console.error(`${path}:${index + 1}: ${line.length} characters, more than ${MAX_LENGTH}`);
    found += 1;
  }
}
process.exitCode = found === 0 ? 0 : 1;
