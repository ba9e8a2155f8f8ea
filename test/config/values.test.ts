import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { formatMistake, formatPath, shorten } from "../../src/config/mistakes.ts";
import { closest, distance } from "../../src/config/spelling.ts";
import { formatSize, parseListen, parseSize, parseUrl } from "../../src/config/values.ts";
import { formatDuration, parseDuration } from "../../src/scheduler/duration.ts";

describe("durations", () => {
  test("read what they write", () => {
    fc.assert(fc.property(fc.nat({ max: 10 ** 12 }), (ms) => expect(parseDuration(formatDuration(ms))).toBe(ms)));
  });

  test.each([
    ["500ms", 500],
    ["45s", 45_000],
    ["2m", 120_000],
    ["1h30m", 5_400_000],
    ["90m", 5_400_000],
    ["1h1m1s1ms", 3_661_001],
    ["0s", 0],
  ])("%s", (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds);
  });

  test.each(["", "45", "s", "45 s", " 45s", "1.5s", "-1s", "+1s", "1m1h", "1s1s", "1d", "1S", "1e3s", "45s\n", "٤s"])(
    "%j is none",
    (text) => {
      expect(parseDuration(text)).toBeUndefined();
    },
  );
});

describe("sizes", () => {
  test("read what they write", () => {
    fc.assert(fc.property(fc.nat({ max: 2 ** 40 }), (bytes) => expect(parseSize(formatSize(bytes))).toBe(bytes)));
  });

  test.each([
    ["1024", 1024],
    ["7B", 7],
    ["512KiB", 524_288],
    ["16MiB", 16_777_216],
    ["1GiB", 1_073_741_824],
  ])("%s", (text, bytes) => {
    expect(parseSize(text)).toBe(bytes);
  });

  test.each(["", "KiB", "1KB", "1kib", "1.5MiB", "-1", "1 MiB", "1TiB"])("%j is none", (text) => {
    expect(parseSize(text)).toBeUndefined();
  });
});

describe("addresses to listen on", () => {
  test.each([
    [":10789", { port: 10_789 }],
    ["127.0.0.1:0", { host: "127.0.0.1", port: 0 }],
    ["localhost:65535", { host: "localhost", port: 65_535 }],
    ["[::1]:80", { host: "::1", port: 80 }],
    ["[::]:80", { host: "::", port: 80 }],
  ])("%s", (text, address) => {
    expect(parseListen(text)).toEqual(address);
  });

  test.each([
    "",
    ":",
    "80",
    ":65536",
    "1.2.3:80",
    "::1:80",
    "[127.0.0.1]:80",
    "[]:80",
    "a b:80",
    "-a:80",
    "http://a:80",
    "a:80/",
  ])("%j is none", (text) => {
    expect(parseListen(text)).toBeUndefined();
  });
});

describe("URLs", () => {
  test.each([
    ["https://api.hiro.so", "https://api.hiro.so"],
    ["HTTPS://API.hiro.so/", "https://api.hiro.so"],
    ["http://localhost:3999/base/", "http://localhost:3999/base"],
    ["http://[::1]:3999", "http://[::1]:3999"],
  ])("%s", (text, url) => {
    expect(parseUrl(text)).toBe(url);
  });

  test.each([
    "",
    "api.hiro.so",
    "https:api.hiro.so",
    "https:\\\\api.hiro.so",
    "https://",
    "file:///etc/passwd",
    "https://user@host",
    "https://@host",
    "https://host?",
    "https://host#",
    "https://ho st",
    "https://host:99999",
    "https://host\nx",
  ])("%j is none", (text) => {
    expect(parseUrl(text)).toBeUndefined();
  });
});

describe("spelling", () => {
  test("the distance is the same both ways, and none for equal words", () => {
    const word = fc.string({ maxLength: 12 });
    fc.assert(
      fc.property(word, word, (a, b) => {
        expect(distance(a, b)).toBe(distance(b, a));
        expect(distance(a, b) === 0).toBe(a === b);
      }),
    );
    expect(distance("kitten", "sitting")).toBe(3);
    expect(distance("nmae", "name")).toBe(1);
  });

  test.each([
    ["budgte", "budget"],
    ["perMinute", "per_minute"],
    ["API-KEY", "api_key"],
    ["nmae", "name"],
    ["telemetry", undefined],
    ["x".repeat(100_000), undefined],
  ])("%.20s means %s", (word, meant) => {
    expect(closest(word, ["name", "url", "api_key", "budget", "per_minute"])).toBe(meant);
  });
});

describe("mistakes", () => {
  test("have their place in front, as far as it is known", () => {
    const nowhere = { file: undefined, line: undefined, column: undefined };

    expect(formatMistake({ file: "a.yaml", line: 1, column: 2, path: "log", message: "wrong" })).toBe(
      "a.yaml:1:2: log: wrong",
    );
    expect(formatMistake({ ...nowhere, file: "a.yaml", path: "", message: "wrong" })).toBe("a.yaml: wrong");
    expect(formatMistake({ ...nowhere, path: "--listen", message: "wrong" })).toBe("--listen: wrong");
  });

  test("write paths as people do, and keep texts on one line", () => {
    expect(formatPath(["networks", 0, "budget", "per_minute"])).toBe("networks[0].budget.per_minute");
    expect(shorten("a\nb\u001b[2J\u202e")).toBe("a\uFFFDb\uFFFD[2J\uFFFD");
    expect([...shorten("😀".repeat(100))]).toHaveLength(60);
  });
});
