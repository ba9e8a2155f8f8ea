import { beforeEach, describe, expect, test } from "@jest/globals";
import { passwordsOf } from "../../src/http/guard.ts";
import { settle } from "../support/fake-clock.ts";

const ALICE = `$2b$12$${"a".repeat(53)}`;
const BOB = `$2b$10$${"b".repeat(53)}`;

interface Comparison {
  readonly password: string;
  readonly hash: string;
  readonly end: (isEqual: boolean) => void;
}

let comparisons: Comparison[];
let checked: ReturnType<typeof passwordsOf>;

beforeEach(() => {
  comparisons = [];
  const compare = (password: string, hash: string) =>
    new Promise<boolean>((end) => {
      comparisons.push({ password, hash, end });
    });
  checked = passwordsOf(
    compare,
    new Map([
      ["alice", ALICE],
      ["bob", BOB],
    ]),
  );
});

const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
const check = (user: string, password: string, client = "192.0.2.1") => checked(basic(user, password), client);

async function compared(isEqual: boolean, ...given: Parameters<typeof check>) {
  const verdict = check(...given);
  await settle();
  comparisons.at(-1)?.end(isEqual);
  return verdict;
}

test("a right password is compared once, a wrong one every time", async () => {
  expect(await compared(true, "alice", "right")).toBe("right");
  expect(await check("alice", "right")).toBe("right");
  expect(await compared(false, "alice", "wrong")).toBe("wrong");
  expect(await compared(false, "alice", "wrong")).toBe("wrong");
  expect(await check("alice", "right")).toBe("right");
  expect(comparisons.map(({ password, hash }) => [password, hash])).toEqual([
    ["right", ALICE],
    ["wrong", ALICE],
    ["wrong", ALICE],
  ]);
});

test("the password of one user is wrong for another user, and can contain colons", async () => {
  await compared(true, "alice", "a:b:");

  expect(await compared(false, "bob", "a:b:")).toBe("wrong");
  expect(comparisons.map(({ password, hash }) => [password, hash])).toEqual([
    ["a:b:", ALICE],
    ["a:b:", BOB],
  ]);
});

test("an unknown user causes a comparison with the highest cost, and is always wrong", async () => {
  expect(await compared(true, "eve", "right")).toBe("wrong");
  expect(comparisons[0]?.hash).toBe(ALICE);
  expect(await compared(true, "eve", "right")).toBe("wrong");
});

test.each([
  undefined,
  "",
  "Basic",
  "Basic !",
  `Basic ${Buffer.from("alice").toString("base64")}`,
  `Bearer ${Buffer.from("alice:right").toString("base64")}`,
])("%j is wrong without a comparison", async (header) => {
  expect(await checked(header, "192.0.2.1")).toBe("wrong");
  expect(comparisons).toEqual([]);
});

describe("while passwords are compared", () => {
  /** Ends comparisons, one after the other. */
  const endEach = async (count: number, isEqual: boolean) => {
    for (let ended = 0; ended < count; ended += 1) {
      await settle();
      comparisons.at(-1)?.end(isEqual);
    }
    await settle();
  };

  test("concurrent requests with the same password share a comparison", async () => {
    const verdicts = [check("alice", "right"), check("alice", "right"), check("alice", "right", "192.0.2.2")];
    await settle();
    comparisons[0]?.end(true);

    expect(await Promise.all(verdicts)).toEqual(["right", "right", "right"]);
    expect(comparisons).toHaveLength(1);
  });

  test("an address has at most four comparisons; other addresses and known passwords are not delayed", async () => {
    await compared(true, "alice", "right");
    const tries = [1, 2, 3, 4].map((index) => check("alice", `wrong ${index}`));

    expect(await check("alice", "wrong 5")).toBe("busy");
    expect(await check("alice", "right")).toBe("right");
    const other = check("bob", "right", "192.0.2.2");
    await endEach(5, true);
    expect(await Promise.all([...tries, other])).toEqual(["right", "right", "right", "right", "right"]);
    expect(await compared(false, "alice", "wrong 6")).toBe("wrong");
  });

  test("at most 32 wait, and one runs at a time", async () => {
    const verdicts = Array.from({ length: 40 }, (_, index) => check("alice", `${index}`, `192.0.2.${index}`));
    await settle();
    expect(comparisons).toHaveLength(1);
    await endEach(32, false);

    expect((await Promise.all(verdicts)).filter((verdict) => verdict === "busy")).toHaveLength(8);
    expect(await compared(true, "alice", "right")).toBe("right");
  });
});
