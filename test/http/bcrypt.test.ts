import { afterAll, expect, test } from "@jest/globals";
import { hashSync } from "bcryptjs";
import { Bcrypt } from "../../src/http/bcrypt.ts";

const bcrypt = new Bcrypt();
afterAll(() => bcrypt.close());

test("compares in another thread, one after the other, and the results are not mixed up", async () => {
  const [a, b] = [hashSync("a", 4), hashSync("b", 4)];

  expect(
    await Promise.all([
      bcrypt.compare("a", a),
      bcrypt.compare("a", b),
      bcrypt.compare("b", b),
      bcrypt.compare("", `$2b$04$${".".repeat(53)}`),
    ]),
  ).toEqual([true, false, true, false]);
});

test("reads the hashes of htpasswd", async () => {
  const hash = hashSync("pässword", 4).replace(/^\$2b/, "$2y");

  expect(await bcrypt.compare("pässword", hash)).toBe(true);
});

test("starts again after its thread has ended", async () => {
  const running = bcrypt.compare("x", hashSync("x", 13));
  const failed = running.catch((error: Error) => error.cause);
  await new Promise((resolve) => setImmediate(resolve));
  await bcrypt.close();

  expect(await failed).toEqual(new Error("the thread that compares passwords has ended"));
  expect(await bcrypt.compare("x", hashSync("x", 4))).toBe(true);
});
