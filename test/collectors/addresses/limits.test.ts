import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { addresses } from "../../../src/collectors/addresses/addresses.ts";
import { STX, type Watched } from "../../../src/collectors/collector.ts";
import { type Canned, cannedApi } from "../../support/canned-api.ts";
import { CollectorRun, type Samples, targetOf } from "../../support/collect.ts";
import { ModelWorld, PRINCIPAL, type WorldTx } from "../../support/model-world.ts";

const COIN = "SP000000000000000000002Q6VF78.token::coin";
const HOUR = 3600;
const LIMITS = { [STX]: 5_000_000n, [COIN]: 2n ** 80n };
const OUT = "address_outflow_microstx";
const COIN_OUT = `address_ft_outflow_units ${COIN}`;

/** Families of the limits. */
const LIMITED = /outflow/;
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

/** Polls of the address of a world. */
function runOf(
  world: ModelWorld,
  options: object = {},
  more: Partial<Watched> = { maxOutflow: LIMITS },
  version = "v1",
) {
  const target = targetOf(PRINCIPAL, 1, more);
  const api = burning(world);
  if (version === "v3")
    for (const { name, replacement } of addresses.operations) if (replacement) api.retired.add(name);
  return new CollectorRun(addresses, api, () => ({ target, chain: world.view, now: world.now, options }));
}

function worldOf(...sizes: readonly number[]): ModelWorld {
  const world = new ModelWorld();
  world.mine(sizes);
  return world;
}

/** The largest outflow in an hour, computed from the blocks with an outflow above a height. */
function largestHour(world: ModelWorld, above: number, amountOf: (tx: WorldTx) => bigint): bigint {
  const sums = world.blocks.map(({ time: end }) => {
    const hour = world.blocks.filter(({ time, height }) => height > 1 && time > end - HOUR && time <= end);
    const isNew = hour.some(({ height, txs }) => height > above && txs.some((tx) => amountOf(tx) > 0n));
    return isNew ? hour.flatMap(({ txs }) => txs).reduce((sum, tx) => sum + amountOf(tx), 0n) : 0n;
  });
  return sums.reduce((max, sum) => (sum > max ? sum : max), 0n);
}
const expected = (world: ModelWorld, above = 1) => [largestHour(world, above, stx), largestHour(world, above, coins)];
const found = (samples: Samples) => [BigInt(samples.text(OUT) ?? ""), BigInt(samples.text(COIN_OUT) ?? "")];

test("without limits, these series do not exist; removing a limit removes them", async () => {
  const world = worldOf(9);
  const run = runOf(world, {}, {});
  expect((await run.poll()).keys(LIMITED)).toEqual([]);

  const limited = runOf(world);
  await limited.poll();
  expect((await limited.poll({ target: targetOf(PRINCIPAL, 1) })).keys(LIMITED)).toEqual([]);
});

test("the outflow has series from the first poll, with 0", async () => {
  const samples = await runOf(worldOf(9)).poll();

  expect(samples.of(LIMITED)).toEqual({
    [OUT]: 0,
    [COIN_OUT]: 0,
  });
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
      async (steps, version) => {
        const world = worldOf(1);
        const run = runOf(world, {}, undefined, version);
        await run.poll();
        const polls: { readonly now: number; readonly tip: number }[] = [{ now: world.now, tip: world.tip }];
        for (const { sizes, pause } of steps) {
          world.mine(sizes);
          world.now += pause * 1000;
          const fresh = polls.findLast(({ now }) => now <= world.now - HOUR * 1000);
          const samples = await run.poll();
          run.restart();
          polls.push({ now: world.now, tip: world.tip });
          // Transactions counted in the last hour are above the tip of the last poll before it.
          expect(found(samples)).toEqual(expected(world, fresh?.tip));
        }
      },
    ),
    { numRuns: 40 },
  );
});

test("the outflow ends after an hour, also when the clock is set back", async () => {
  const world = worldOf(1);
  const run = runOf(world);
  await run.poll();
  world.mine([9]);
  world.now += 24 * HOUR * 1000;
  expect((await run.poll()).get(OUT)).toBeGreaterThan(0);
  world.now -= 24 * HOUR * 1000;

  expect((await run.poll()).get(OUT)).toBe(0);
});

test("without transfers, the outflow of tokens is unknown", async () => {
  const samples = await runOf(worldOf(9), { transfers: false }).poll();

  expect(samples.keys(LIMITED)).toEqual([OUT]);
});

test("the outflow stays when the clock goes a day forward and back", async () => {
  const world = worldOf(0);
  const run = runOf(world);
  await run.poll();
  world.mine([6]);
  const before = (await run.poll()).get(OUT);
  const { now, view } = world;
  const chain = { ...view, tipAt: (world.blocks.at(-1)?.time ?? 0) * 1000 };
  await run.poll({ now: now + 24 * HOUR * 1000, chain });

  expect(before).toBeGreaterThan(0);
  expect((await run.poll({ now: now + 60_000, chain })).get(OUT)).toBe(before);
});
