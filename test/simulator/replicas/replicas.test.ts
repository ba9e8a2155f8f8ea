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

const tipOf = async ({ url }: { readonly url: string }) => json<Status>(await send(`${url}/extended`)).chain_tip;
const heightOf = async (at: { readonly url: string }) => (await tipOf(at))?.block_height;

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
});
