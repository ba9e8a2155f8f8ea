// The commands under /_sim/ that change which server responds.
import { expect, test } from "@jest/globals";
import { json, send, stillSimulator } from "./support.ts";

test("requests come to a replica that is behind, to one that syncs, or to none of them", async () => {
  await using simulator = await stillSimulator({ history: 60 });
  const control = (command: string) => send(`${simulator.url}/_sim/${command}`, { method: "POST" });
  const tips = async (requests: number) => {
    const heights: number[] = [];
    for (let sent = 0; sent < requests; sent += 1) {
      const response = await send(`${simulator.url}/extended`);
      heights.push(json<{ chain_tip: { block_height: number } }>(response).chain_tip.block_height);
    }
    return heights;
  };

  await control("lag?blocks=7");
  expect(new Set(await tips(20))).toEqual(new Set([60, 53]));
  await control("resync");
  expect(await tips(3)).toEqual([1, 2, 3]);
  await control("newest");
  expect(await tips(3)).toEqual([60, 60, 60]);
});
