// The generated files about the configuration: the JSON Schema for editors, and the page for readers.
import { collectors } from "../../src/collectors/index.ts";
import { treeFor } from "../../src/config/settings.ts";
import { renderConfigurationPage } from "./configuration-page.ts";
import { configurationSchema } from "./configuration-schema.ts";
import type { Output } from "./output.ts";

/** The generated files about the configuration. */
export const configurationOutputs: readonly Output[] = [
  {
    path: "schema/stacks-exporter.schema.json",
    render: () => `${JSON.stringify(configurationSchema(treeFor(collectors)), undefined, 2)}\n`,
  },
  {
    path: "docs/configuration.md",
    render: () => renderConfigurationPage(treeFor(collectors), collectors),
  },
];
