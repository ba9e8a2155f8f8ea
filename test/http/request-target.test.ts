import { expect, test } from "@jest/globals";
import { readTarget } from "../../src/http/request-target.ts";

test.each([
  ["/metrics", "/metrics", undefined],
  ["/metrics?a=b#c", "/metrics?a=b", undefined],
  ["/a\u00a0b\tc", "/a%C2%A0b%09c", undefined],
  ["//x/y", "//x/y", undefined],
  ["http://host:9/metrics?a=b#c", "/metrics?a=b", "host:9"],
  ["HTTPS://host", "/", "host"],
  ["http://[::1]:9/", "/", "[::1]:9"],
  ["http://", "/http://", undefined],
  ["*", "/*", undefined],
  ["", "/", undefined],
])("%j is the path %j of host %j", (target, path, host) => {
  expect(readTarget(target)).toEqual({ path, host });
});
