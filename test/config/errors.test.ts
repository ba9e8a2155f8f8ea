import { describe, expect, test } from "@jest/globals";
import { formatError, formatPath, shorten } from "../../src/config/errors.ts";

describe("errors", () => {
  test("begin with the file, line and path that are known", () => {
    const nowhere = { file: undefined, line: undefined, column: undefined };

    expect(formatError({ file: "a.yaml", line: 1, column: 2, path: "log", message: "wrong" })).toBe(
      "a.yaml:1:2: log: wrong",
    );
    expect(formatError({ ...nowhere, file: "a.yaml", path: "", message: "wrong" })).toBe("a.yaml: wrong");
    expect(formatError({ ...nowhere, path: "log", message: "wrong" })).toBe("log: wrong");
  });

  test("have readable paths and no line breaks", () => {
    expect(formatPath(["networks", 0, "budget", "per_minute"])).toBe("networks[0].budget.per_minute");
    expect(shorten("a\nb\u001b[2J\u202e")).toBe("a\uFFFDb\uFFFD[2J\uFFFD");
    expect([...shorten("😀".repeat(100))]).toHaveLength(60);
  });
});
