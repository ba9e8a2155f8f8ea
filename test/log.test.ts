import { expect, test } from "@jest/globals";
import { createLogger } from "../src/log.ts";
import { StateFileError } from "../src/store/open.ts";

test.each(["json", "pretty"] as const)(
  "an error has the type that it names itself, in the format %s",
  async (format) => {
    // The bundle renames the class.
    const _StateFileError = class _StateFileError extends StateFileError {};
    let text = "";
    const log = await createLogger({
      level: "info",
      format,
      mask: (line) => line.replaceAll("secret", "***"),
      write: (line) => {
        text += line;
      },
    });

    log.error({ err: new _StateFileError("/secret.db", "is damaged", { cause: new Error("cause") }) }, "a failure");
    log.error({ err: new TypeError("another") }, "a failure");
    log.error({ err: "a text" }, "a failure");

    expect([...text.matchAll(/"type": ?"(\w+)"/g)].map(([, type]) => type)).toEqual(["StateFileError", "TypeError"]);
    expect(text).toContain("state file /***.db: is damaged: cause");
    expect(text).toMatch(/err"?: ?"a text"/);
  },
);
