// A configuration file with every setting in it, each with its description, and with its default or an example.
import type { SchemaNode } from "../../src/config/schema.ts";

const WIDTH = 100;

/**
 * The example. Settings that have a default are written with it, so the file shows what the program does without one;
 * the others are commented out.
 */
export function renderExample(root: SchemaNode): string {
  const blocks = Object.entries(root.properties ?? {}).map(([key, node]) => setting(key, node, "", false).join("\n"));
  return `${blocks.join("\n\n")}\n`;
}

function setting(key: string, node: SchemaNode, indent: string, isRequired: boolean): string[] {
  return [...comment(description(node), indent), ...written(key, node, indent, isRequired)];
}

function written(key: string, node: SchemaNode, indent: string, isRequired: boolean): string[] {
  if (node.properties !== undefined) return [`${indent}${key}:`, ...group(node, `${indent}  `)];
  // A list that is empty by default: an entry to fill in, commented out.
  if (node.items !== undefined && Array.isArray(node.default) && node.default.length === 0) {
    if (node.items.properties === undefined) return [`${indent}# ${key}: ${node.sample ?? "[]"}`];
    const samples = Object.entries(node.items.properties).flatMap(([name, { sample }]) =>
      sample === undefined ? [] : [`${name}: ${sample}`],
    );
    return [`${indent}# ${key}:`, ...samples.map((text, index) => `${indent}#   ${index === 0 ? "-" : " "} ${text}`)];
  }
  if (node.items?.properties === undefined && Array.isArray(node.default)) {
    return [`${indent}${key}: [${node.default.map(scalar).join(", ")}]`];
  }
  if (node.items !== undefined) {
    const [first = "", ...rest] = group(node.items, `${indent}    `);
    return [`${indent}${key}:`, `${indent}  - ${first.trimStart()}`, ...rest];
  }
  const text = `${key}: ${scalar(node.default ?? node.sample)}`;
  return [
    isRequired || node.isWritten === true || node.default !== undefined ? `${indent}${text}` : `${indent}# ${text}`,
  ];
}

function group(node: SchemaNode, indent: string): string[] {
  return Object.entries(node.properties ?? {}).flatMap(([key, child]) =>
    setting(key, child, indent, node.required?.includes(key) === true),
  );
}

function description({ description = "", absent }: SchemaNode): string {
  return absent === undefined ? description : `${description} Without it: ${absent}.`;
}

function comment(text: string, indent: string): string[] {
  const lines: string[] = [];
  let line = `${indent}#`;
  for (const word of text.split(" ")) {
    if (line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = `${indent}#`;
    }
    line += ` ${word}`;
  }
  return [...lines, line];
}

function scalar(value: unknown): string {
  const text = String(value);
  return typeof value !== "string" || /^[A-Za-z0-9/][\w/.:-]*$/.test(text) ? text : JSON.stringify(text);
}
