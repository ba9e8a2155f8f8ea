// Replicas behind one address: all responses of one replica agree, and replicas differ as specified.
import { afterEach, describe, expect, test } from "@jest/globals";
import type { Simulator, SimulatorOptions } from "../../../simulator/server.ts";
import { json, type Response, send, stillSimulator } from "../support.ts";

const running: Simulator[] = [];
const start = async (options: SimulatorOptions = {}) => {
  const simulator = await stillSimulator({ seed: "replicas", history: 60, ...options });
  running.push(simulator);
  return simulator;
};
afterEach(async () => {
  await Promise.all(running.splice(0).map((simulator) => simulator.close()));
});

interface Status {
  readonly chain_tip?: { readonly block_height: number; readonly index_block_hash: string };
}
interface Item {
  readonly height: number;
  readonly hash: string;
  readonly index_block_hash: string;
  readonly parent_block_hash: string;
}
interface BlockList {
  readonly total: number;
  readonly results: readonly Item[];
}

const tipOf = async ({ url }: { readonly url: string }) => json<Status>(await send(`${url}/extended`)).chain_tip;
const heightOf = async (at: { readonly url: string }) => (await tipOf(at))?.block_height;
const blocksOf = async ({ url }: { readonly url: string }, query = "limit=30") =>
  json<BlockList>(await send(`${url}/extended/v2/blocks?${query}`));

function nextBlock({ chain, advance }: Simulator, count = 1): void {
  const goal = chain.height + count;
  while (chain.height < goal) advance(1);
}

// Every operation that depends on the blocks, for a few principals, transactions and blocks.
function operations({ chain }: Simulator): string[] {
  const { accounts, ledger } = chain;
  const blocks = ledger.blocks.slice(-12);
  const [user = "", other = ""] = accounts.users;
  return [
    "/extended",
    "/extended/v2/blocks?limit=30",
    "/extended/v2/blocks?limit=5&offset=10",
    "/extended/v2/blocks/latest",
    "/extended/v3/transactions?limit=50",
    `/extended/v3/transactions?cursor=${ledger.blocks.at(-9)?.height}:2147483647:0`,
    ...[user, other, accounts.sponsor, accounts.contracts.vault].flatMap((principal) => [
      `/extended/v2/addresses/${principal}/transactions?limit=50`,
      `/extended/v1/address/${principal}/transactions_with_transfers?limit=50`,
      `/extended/v3/principals/${principal}/transactions?limit=50`,
    ]),
    `/extended/v1/contract/${accounts.contracts.logger}/events?limit=50`,
    `/extended/v2/smart-contracts/${accounts.contracts.logger}/logs?limit=100`,
    ...blocks.flatMap(({ height, hash, indexHash, txs }) => [
      `/extended/v1/block/by_height/${height}`,
      `/extended/v1/block/${hash}`,
      `/extended/v2/blocks/${indexHash}`,
      `/extended/v3/transactions/${txs.at(-1)?.id}`,
      `/extended/v2/addresses/${txs.at(-1)?.sender}/transactions/${txs.at(-1)?.id}/events`,
    ]),
    "/extended/v1/block/by_height/1",
  ];
}

async function sendAll({ url }: { readonly url: string }, paths: readonly string[]) {
  const responses = new Map<string, Pick<Response, "status" | "body"> & { readonly etag: unknown }>();
  for (const path of paths) {
    const { status, body, headers } = await send(url + path);
    responses.set(path, { status, body, etag: headers.etag });
  }
  return responses;
}

// The paths for which two replicas respond differently.
function differences(one: Awaited<ReturnType<typeof sendAll>>, other: typeof one): string[] {
  return [...one].flatMap(([path, response]) => {
    const against = other.get(path);
    const isSame =
      response.status === against?.status &&
      response.body === against.body &&
      String(response.etag) === String(against.etag);
    return isSame ? [] : [path];
  });
}

describe("a replica that lags", () => {
  test.each([
    ["with all blocks kept", 5000, 3],
    ["with old blocks dropped", 40, 3],
  ])("responds as the newest one did then, %s", async (_, keepBlocks, lag) => {
    const simulator = await start({ keepBlocks });
    const behind = await simulator.listen();
    behind.replicas.use({ kind: "lag", blocks: lag });
    await heightOf(behind);
    for (let round = 0; round < 4; round += 1) {
      const paths = operations(simulator);
      const then = await sendAll(simulator, paths);
      nextBlock(simulator, lag);
      const now = await sendAll(behind, paths);

      expect(differences(then, now)).toEqual([]);
      expect(await heightOf(behind)).toBe(simulator.chain.height - lag);
    }
  });

  test("shows the blocks that a reorganisation has replaced, until it reaches the reorganisation", async () => {
    const simulator = await start();
    const behind = await simulator.listen();
    behind.replicas.use({ kind: "lag", blocks: 2 });
    nextBlock(simulator, 4);
    const before = simulator.chain.height;
    const { orphaned, replaced } = simulator.chain.reorg(5);
    const old = orphaned.at(-3);
    const by = (hash = "") => send(`${behind.url}/extended/v1/block/${hash}`);

    expect(await tipOf(behind)).toMatchObject({ block_height: before - 2, index_block_hash: old?.indexHash });
    expect((await blocksOf(behind)).results.map(({ hash }) => hash)).toContain(orphaned[0]?.hash);
    expect(json(await by(old?.hash))).toMatchObject({ canonical: true });
    expect((await by(replaced[0]?.hash)).status).toBe(404);

    nextBlock(simulator, 2);
    expect(await tipOf(behind)).toMatchObject({ index_block_hash: replaced.at(-1)?.indexHash });
    expect(json(await by(old?.hash))).toMatchObject({ canonical: false, txs: [] });
    expect(json(await by(replaced[0]?.hash))).toMatchObject({ canonical: true });
  });
});

test("an empty database responds like one that was never filled", async () => {
  const simulator = await start();
  const fresh = await start({ history: 0 });
  fresh.chain.empty();
  simulator.replicas.use({ kind: "empty" });
  simulator.advance(600);
  const mempool = ["/extended/v1/tx/mempool/stats", "/extended/v2/mempool/fees"];
  const paths = operations(simulator);
  const bodies = async (url: string, list: readonly string[]) =>
    [...(await sendAll({ url }, list))].map(([path, { status, body }]) => [path, status, body]);

  expect(await bodies(simulator.url, paths)).toEqual(await bodies(fresh.url, paths));
  expect(await bodies(simulator.url, mempool)).toEqual(await bodies(fresh.url, mempool));
  expect(await tipOf(simulator)).toBeUndefined();
});
