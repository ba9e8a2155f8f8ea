// Alerts on shards: several exporters that share watch lists.
import type { Alert } from "./model.ts";
import { lately, series } from "./series.ts";

/** Labels that differ between the shards of a job. Configurations for Kubernetes often add the name of the pod. */
const OF_SHARD = "instance, pod";

const shards = series("stacks_exporter_shards");
const ordinals = series("stacks_exporter_shard_ordinal");
const disagreeing = `max without (${OF_SHARD}) (${shards}) != min without (${OF_SHARD}) (${shards})`;
const shardsDisagree: Alert = {
  alert: "StacksShardsDisagree",
  severity: "critical",
  expr: disagreeing,
  summary: "The shards of {{ $labels.job }} are configured for different numbers of shards",
  description: "The highest configured number is {{ $value }}.",
  runbook: {
    meaning: `Exporters that share watch lists have different values of \`shard.count\`. Some addresses and contracts
      are polled twice, and others not at all.`,
    check: [["The configured number of shards, by exporter.", shards]],
    actions: ["Give all shards the same configuration, and follow docs/shards.md to change their number."],
  },
};

const seenShards = `count without (ordinal) (group without (${OF_SHARD}) (${lately(ordinals)}))`;
const missing = `max without (${OF_SHARD}) (${lately(shards)}) - ${seenShards} > 0`;
const shardMissing: Alert = {
  alert: "StacksShardMissing",
  severity: "critical",
  expr: missing,
  summary: "Shards of {{ $labels.job }} are missing",
  description: "Missing shards: {{ $value }}.",
  runbook: {
    meaning: `Fewer shards are scraped than \`shard.count\`, or two have the same index. The addresses and contracts of
      the missing shards are not polled. Their counters catch up afterwards.`,
    check: [
      ["The index of each shard.", ordinals],
      ["Targets that Prometheus cannot scrape.", "up == 0"],
    ],
    actions: ["Start the missing shards.", "If two shards have the same index, correct `shard.index` of one."],
  },
};

/** The alerts on shards. */
export const shardAlerts: readonly Alert[] = [shardsDisagree, shardMissing];
