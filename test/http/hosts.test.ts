import { expect, test } from "@jest/globals";
import { isNamed, namesFor } from "../../src/http/hosts.ts";

test.each([
  [{ port: 1 }, [], undefined],
  [{ host: "0.0.0.0", port: 1 }, [], undefined],
  [{ host: "192.0.2.1", port: 1 }, [], undefined],
  [{ host: "127.0.0.1", port: 1 }, [], ["localhost"]],
  [{ host: "127.9.9.9", port: 1 }, [], ["localhost"]],
  [{ host: "::1", port: 1 }, [], ["localhost"]],
  [{ host: "localhost", port: 1 }, [], ["localhost"]],
  [{ port: 1 }, ["a.example"], ["a.example", "localhost"]],
  [{ host: "127.0.0.1", port: 1 }, ["*"], undefined],
  [{ path: "/run/x" }, ["a.example"], undefined],
])("a listener on %j with the setting %j accepts the names %j", (address, allowed, names) => {
  expect(namesFor(address, allowed)).toEqual(names);
});

test.each([
  ["a.example", true],
  ["A.Example:10789", true],
  ["a.example.", true],
  ["localhost:1", true],
  ["127.0.0.1:10789", true],
  ["192.0.2.7", true],
  ["[::1]:10789", true],
  [undefined, true],
  ["evil.example", false],
  ["a.example.evil.example", false],
  ["xa.example", false],
  ["127.0.0.1.evil.example", false],
  ["[a.example]", false],
  ["::1", false],
  ["a.example:1:2", false],
  ["", false],
])("the host %j is accepted: %s", (host, isAccepted) => {
  expect(isNamed(host, ["a.example", "localhost"])).toBe(isAccepted);
});
