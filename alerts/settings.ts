// What depends on where the rules are used; everything else does not.

/** Where the folder docs/runbooks is read. Set it to a place of your own and run "npm run generate". */
export const RUNBOOKS_URL = "https://stacks-exporter.example/docs/runbooks";

/** The uid of Grafana's data source, which provisioned alert rules have to name. */
export const DATASOURCE_UID = "prometheus";
