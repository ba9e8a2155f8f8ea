// Settings that depend on the place where the rules are used.

/** URL of the published folder docs/runbooks. Set it to your own and run "npm run generate". */
export const RUNBOOKS_URL = "https://stacks-exporter.example/docs/runbooks";

/** The uid of Grafana's data source, which provisioned alert rules must contain. */
export const DATASOURCE_UID = "prometheus";
