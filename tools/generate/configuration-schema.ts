// The JSON Schema for editors: the settings, and rules between them.
import type { SchemaNode } from "../../src/config/schema.ts";

/** The schema of the configuration file (draft 2020-12). */
export function configurationSchema(root: SchemaNode): object {
  return { $schema: "https://json-schema.org/draft/2020-12/schema", title: root.title, ...publish(root) };
}

function publish(node: SchemaNode): object {
  const { description } = node;
  const about = description === undefined ? {} : { description };
  if (node.properties !== undefined) {
    const group = publishGroup(node, node.properties);
    return { ...about, ...(node.word === undefined ? group : { anyOf: [{ const: node.word }, group] }) };
  }
  const notes = { ...about, ...(node.default === undefined ? {} : { default: node.default }) };
  if (node.items !== undefined) {
    const { minItems, maxItems } = node;
    const limits = { ...(minItems === undefined ? {} : { minItems }), ...(maxItems === undefined ? {} : { maxItems }) };
    return { ...notes, type: "array", ...limits, items: publish(node.items) };
  }
  return { ...notes, ...keywordsOf(node) };
}

function publishGroup(node: SchemaNode, properties: Readonly<Record<string, SchemaNode>>): object {
  return {
    // A group may have nothing in it, when all of its settings are commented out.
    type: node.required === undefined ? ["object", "null"] : "object",
    properties: Object.fromEntries(Object.entries(properties).map(([key, child]) => [key, publish(child)])),
    ...(node.required === undefined ? {} : { required: node.required }),
    additionalProperties: false,
    ...(node.exclusive === undefined ? {} : { not: { type: "object", required: node.exclusive } }),
  };
}

// The keywords that decide whether a value is accepted.
function keywordsOf(node: SchemaNode): object {
  const { type, enum: words, const: only, minimum, maximum, pattern } = node;
  const { minItems, maxItems, anyOf } = node;
  const items = node.items && keywordsOf(node.items);
  const limits = { minimum, maximum, minItems, maxItems };
  const keywords = { type, enum: words, const: only, ...limits, pattern, items, anyOf: anyOf?.map(keywordsOf) };
  return Object.fromEntries(Object.entries(keywords).filter(([, value]) => value !== undefined));
}
