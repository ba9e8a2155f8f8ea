/** The uid of Grafana's data source, which provisioned alert rules must contain. */
export const DATASOURCE_UID = "prometheus";
