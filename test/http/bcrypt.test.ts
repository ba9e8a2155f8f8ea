import { expect, test } from "@jest/globals";
import { hashSync } from "bcryptjs";
import { compareInThread } from "../../src/http/bcrypt.ts";

test("compares in another thread, and the results are not mixed up", async () => {
  const [a, b] = [hashSync("a", 4), hashSync("b", 4)];
  const compared = [
    compareInThread("a", a),
    compareInThread("a", b),
    compareInThread("b", b),
    compareInThread("", `$2b$04$${".".repeat(53)}`),
  ];

  expect(await Promise.all(compared)).toEqual([true, false, true, false]);
});

test("reads the hashes of htpasswd", async () => {
  expect(await compareInThread("pässword", hashSync("pässword", 4).replace(/^\$2b/, "$2y"))).toBe(true);
});

test("rejects when the comparison fails, and can be used again", async () => {
  await expect(compareInThread(null as never, hashSync("x", 4))).rejects.toThrow(/Illegal arguments/);
  expect(await compareInThread("x", hashSync("x", 4))).toBe(true);
});
