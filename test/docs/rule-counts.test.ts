// docs/alert-on-fee-spikes.md shows what promtool prints for the rule files: it counts their rules.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";
import { parse } from "yaml";

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), "utf8");

test.each([
  "alerts/generated/recording.rules.yaml",
  "alerts/generated/alerts.rules.yaml",
  "deploy/prometheus/watchdog.yaml",
])("%s has as many rules as docs/alert-on-fee-spikes.md shows", (path) => {
  const { groups } = parse(read(path)) as { readonly groups: readonly { readonly rules: readonly unknown[] }[] };
  const count = groups.flatMap(({ rules }) => rules).length;

  const name = path.slice(path.lastIndexOf("/") + 1);
  const shown = read("docs/alert-on-fee-spikes.md").match(/Checking \S+\n {2}SUCCESS: \d+ rules found\n/g);
  expect(shown).toContain(`Checking ${name}\n  SUCCESS: ${count} rules found\n`);
});
