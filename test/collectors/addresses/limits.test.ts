import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { addresses as collector } from "../../../src/collectors/addresses/addresses.ts";
import { type AnyCollector, STX, type Watched } from "../../../src/collectors/collector.ts";
import { type Canned, cannedApi } from "../../support/canned-api.ts";
import { textOf } from "../../support/golden.ts";
import { ModelWorld, PRINCIPAL, type WorldTx } from "../../support/model-world.ts";
import { observe } from "../../support/observe.ts";
import { parseExposition } from "../../support/parser.ts";

const addresses = collector as unknown as AnyCollector;
const COIN = "SP000000000000000000002Q6VF78.token::coin";
const HOUR = 3600;
const LIMITS = { [STX]: 5_000_000n, [COIN]: 2n ** 80n };

const targetOf = (more: Partial<Watched> = { maxOutflow: LIMITS }) => ({
  key: PRINCIPAL,
  watched: { principal: PRINCIPAL, name: "desk", group: "exchange", labels: {}, ...more },
  confirmations: 1,
});

/** The samples of the limits, by the family name without its prefix, and by asset. */
async function exposed(observation: unknown, target = targetOf()): Promise<Readonly<Record<string, string>>> {
  const families = parseExposition(await textOf(addresses, observation, "mainnet", target), "classic");
  return Object.fromEntries(
    families
      .filter(({ name }) => /outflow|silent_after|post_conditions_required/.test(name))
      .flatMap(({ name, samples }) =>
        samples.map(({ labels, text }) => [
          [name.replace("stacks_address_", ""), labels.get("asset") ?? []].flat().join(" "),
          text,
        ]),
      ),
  );
}

const stx = ({ isSender, amount, fee }: WorldTx) => (isSender ? amount + fee : 0n);
const coins = ({ ft }: WorldTx) => ft;

/** An API in which tokens leave the address, because each mint is replaced by a burn. */
const burning = (world: ModelWorld) =>
  cannedApi((url, operation): Canned => {
    const text = JSON.stringify(world.respond(url, operation))
      .replaceAll(
        /"mint","amount":("\d+"),"asset_identifier":("[^"]+"),"recipient"/g,
        '"burn","amount":$1,"asset_identifier":$2,"sender"',
      )
      .replaceAll(/"sender":"","recipient":("[^"]+")/g, '"sender":$1,"recipient":""');
    return JSON.parse(text);
  });

/** The largest outflow in an hour, computed from the blocks with an outflow above a height. */
function largestHour(world: ModelWorld, above: number, amountOf: (tx: WorldTx) => bigint): bigint {
  const sums = world.blocks.map(({ time: end }) => {
    const hour = world.blocks.filter(({ time, height }) => height > 1 && time > end - HOUR && time <= end);
    const isNew = hour.some(({ height, txs }) => height > above && txs.some((tx) => amountOf(tx) > 0n));
    return isNew ? hour.flatMap(({ txs }) => txs).reduce((sum, tx) => sum + amountOf(tx), 0n) : 0n;
  });
  return sums.reduce((max, sum) => (sum > max ? sum : max), 0n);
}

test("without limits, these series do not exist", async () => {
  const world = new ModelWorld();
  world.mine([2]);
  const target = targetOf({});
  const seen = await observe(addresses, cannedApi(world.respond), undefined, {
    target,
    chain: world.view,
    now: world.now,
  });

  expect(await exposed(seen, target)).toEqual({});
});

test("configured limits have series from the first poll, with an outflow of 0", async () => {
  const world = new ModelWorld();
  world.mine([9]);
  const target = targetOf({ maxOutflow: LIMITS, silentAfterMs: 90_000, needsPostConditions: true });
  const seen = await observe(addresses, cannedApi(world.respond), undefined, {
    target,
    chain: world.view,
    now: world.now,
  });

  expect(await exposed(seen, target)).toEqual({
    outflow_microstx: "0",
    max_outflow_microstx: "5000000",
    [`ft_outflow_units ${COIN}`]: "0",
    [`ft_max_outflow_units ${COIN}`]: "1208925819614629174706176",
    silent_after_seconds: "90",
    post_conditions_required: "1",
  });
});

test("one poll after many hours finds the same maximum outflow in an hour as frequent polls", async () => {
  const world = new ModelWorld();
  world.mine([1]);
  const at = () => ({ target: targetOf(), chain: world.view, now: world.now });
  const [rarely, often] = [burning(world), burning(world)];
  const first = await observe(addresses, rarely, undefined, at());
  let last = first;
  const largest = { outflow_microstx: 0n, [`ft_outflow_units ${COIN}`]: 0n };
  for (let hours = 0; hours < 12; hours += 1) {
    world.mine([5, 9, 5]);
    world.now += 1_700_000;
    last = await observe(addresses, often, last, at());
    const seen = await exposed(last);
    for (const name of Object.keys(largest) as (keyof typeof largest)[]) {
      const value = BigInt(seen[name] ?? "");
      if (value > largest[name]) largest[name] = value;
    }
  }
  const late = await exposed(await observe(addresses, rarely, first, at()));

  expect(largestHour(world, 1, stx)).toBeGreaterThan(0n);
  expect(largestHour(world, 1, coins)).toBeGreaterThan(2n ** 127n);
  expect(BigInt(late.outflow_microstx ?? "")).toBe(largestHour(world, 1, stx));
  expect(BigInt(late[`ft_outflow_units ${COIN}`] ?? "")).toBe(largestHour(world, 1, coins));
  expect(largest.outflow_microstx).toBe(largestHour(world, 1, stx));
  expect(largest[`ft_outflow_units ${COIN}`]).toBe(largestHour(world, 1, coins));
});

test("the outflow equals the sum over the blocks, at any interval, with either operation", async () => {
  const step = fc.record({
    sizes: fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 5 }),
    pause: fc.integer({ min: 1, max: 9000 }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 8 }),
      fc.constantFrom("v1", "v3"),
      async (steps, api) => {
        const world = new ModelWorld();
        world.mine([1]);
        const canned = burning(world);
        const at = () => ({ target: targetOf(), chain: world.view, now: world.now, options: { api } });
        let seen = await observe(addresses, canned, undefined, at());
        const polls: { readonly now: number; readonly tip: number }[] = [{ now: world.now, tip: world.tip }];
        for (const { sizes, pause } of steps) {
          world.mine(sizes);
          world.now += pause * 1000;
          const fresh = polls.findLast(({ now }) => now <= world.now - HOUR * 1000);
          seen = await observe(addresses, canned, seen, at());
          polls.push({ now: world.now, tip: world.tip });
          const found = await exposed(seen);
          // Transactions counted in the last hour are above the tip of the last poll before it.
          const above = fresh?.tip ?? 1;
          expect(BigInt(found.outflow_microstx ?? "")).toBe(largestHour(world, above, stx));
          expect(BigInt(found[`ft_outflow_units ${COIN}`] ?? "")).toBe(largestHour(world, above, coins));
        }
      },
    ),
    { numRuns: 40 },
  );
});

test("the outflow equals the sum over the blocks when many polls catch up after an outage", async () => {
  const world = new ModelWorld();
  world.mine([1]);
  const api = burning(world);
  const at = () => ({ target: targetOf(), chain: world.view, now: world.now, options: { pages: 2 } });
  let seen = await observe(addresses, api, undefined, at());
  for (let index = 0; index < 150; index += 1) {
    world.now += ((index * 7919) % 900) * 1000;
    world.mine([((index * 31) % 9) + 1]);
  }
  const backlogOf = (observation: unknown) => (observation as { facts: { backlog: number } }).facts.backlog;
  let polls = 0;
  do {
    // New transactions arrive between the polls.
    world.mine([polls % 3 === 0 ? 2 : 0]);
    seen = await observe(addresses, api, seen, at());
    polls += 1;
  } while (backlogOf(seen) > 0 && polls < 100);
  const found = await exposed(seen);

  expect(polls).toBeGreaterThan(3);
  expect(backlogOf(seen)).toBe(0);
  expect(BigInt(found.outflow_microstx ?? "")).toBe(largestHour(world, 1, stx));
  expect(BigInt(found[`ft_outflow_units ${COIN}`] ?? "")).toBe(largestHour(world, 1, coins));
});

test("a backfill counts only the last hour", async () => {
  const world = new ModelWorld();
  world.mine([9, 9]);
  world.now += 2 * HOUR * 1000;
  world.mine([3]);
  const at = () => ({ target: targetOf(), chain: world.view, now: world.now, options: { backfill: "all" } });
  const seen = await observe(addresses, cannedApi(world.respond), undefined, at());

  const recent = world.between(3, 3).reduce((sum, tx) => sum + stx(tx), 0n);
  expect(recent).toBeGreaterThan(0n);
  expect((await exposed(seen)).outflow_microstx).toBe(String(recent));
});

test("an outflow expires an hour after it was counted, even if the list does not change", async () => {
  const world = new ModelWorld();
  world.mine([1]);
  const api = cannedApi(world.respond);
  const at = () => ({ target: targetOf(), chain: world.view, now: world.now });
  const first = await observe(addresses, api, undefined, at());
  world.mine([5]);
  const second = await observe(addresses, api, first, at());
  const before = await exposed(second);
  world.now += HOUR * 1000;
  const after = await exposed(await observe(addresses, api, second, at()));

  expect(Number(before.outflow_microstx)).toBeGreaterThan(0);
  expect(after.outflow_microstx).toBe("0");
});

test("without transfers, the outflow of tokens is unknown", async () => {
  const world = new ModelWorld();
  world.mine([9]);
  const options = { transfers: false };
  const seen = await observe(addresses, cannedApi(world.respond), undefined, {
    target: targetOf(),
    chain: world.view,
    options,
  });

  expect(Object.keys(await exposed(seen))).toEqual([
    "outflow_microstx",
    "max_outflow_microstx",
    `ft_max_outflow_units ${COIN}`,
  ]);
});

test("removing a limit removes its series, and an observation of an earlier version has no outflow", async () => {
  const world = new ModelWorld();
  world.mine([9]);
  const seen = await observe(addresses, cannedApi(world.respond), undefined, { target: targetOf(), chain: world.view });
  const { outflow: _, ...earlier } = seen as { readonly outflow: object };

  expect(await exposed(seen, targetOf({}))).toEqual({});
  expect(Object.keys(await exposed(earlier))).toEqual(["max_outflow_microstx", `ft_max_outflow_units ${COIN}`]);
});
