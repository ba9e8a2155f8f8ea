import { expect, test } from "@jest/globals";
import { negotiateFormat } from "../../src/http/page.ts";

const PROMETHEUS_2 =
  "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1";
const PROMETHEUS_3 =
  "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,text/plain;version=0.0.4;q=0.2,*/*;q=0.1";
const TEXT_FIRST = "text/plain;version=0.0.4;q=0.6,application/openmetrics-text;version=1.0.0;q=0.5";

test.each([
  [undefined, "classic"],
  ["", "classic"],
  ["*/*", "classic"],
  ["text/*", "classic"],
  ["text/plain", "classic"],
  ["text/html,application/xhtml+xml,*/*;q=0.8", "classic"],
  ["application/json", "classic"],
  ["application/openmetrics-text", "openmetrics"],
  ["Application/OpenMetrics-Text; Version=1.0.0; Charset=utf-8", "openmetrics"],
  ['application/openmetrics-text; version="1.0.0"', "openmetrics"],
  ["application/openmetrics-text; version=2.0.0", "classic"],
  ["application/openmetrics-text; version=0.0.1", "classic"],
  ["application/openmetrics-text; q=0", "classic"],
  ["application/openmetrics-text; q=nonsense", "classic"],
  ["application/openmetrics-text; q=0.5, text/plain", "classic"],
  ["text/plain;q=0.2, application/openmetrics-text;q=0.2", "classic"],
  [PROMETHEUS_2, "openmetrics"],
  [PROMETHEUS_3, "openmetrics"],
  [TEXT_FIRST, "classic"],
  [",,;;=,", "classic"],
])("%s gets %s", (accept, format) => {
  expect(negotiateFormat(accept)).toBe(format);
});
