// Settings that depend on the place where the rules are used.

/** Address of the runbooks: by default an exporter on the machine of the reader. */
export const RUNBOOKS_URL = "http://127.0.0.1:10789/runbooks";

/** The uid of Grafana's data source, which provisioned alert rules must contain. */
export const DATASOURCE_UID = "prometheus";
