// Reads of the transfers of an address with failing requests. pasts.test.ts tests the counts.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { ApiError, type Reason } from "../../src/api/errors.ts";
import type { StacksApi } from "../../src/api/operation.ts";
import { pastsOf } from "../../src/history/pasts.ts";
import { Spool } from "../../src/history/spool.ts";
import { configOf } from "../commands/fixture.ts";

test.each<Reason>(["budget", "rate_limited", "timeout"])(
  "a failed request for transfers keeps its reason %s",
  async (reason) => {
    using ends = new DisposableStack();
    const folder = mkdtempSync(join(tmpdir(), "stacks-exporter-transfers-"));
    ends.defer(() => rmSync(folder, { recursive: true }));
    const spool = new Spool(folder, { warn: () => undefined });
    ends.defer(() => spool.close());
    const { networks } = await configOf('networks: [{ name: m, url: "http://m", address_files: [addresses.txt] }]', {
      addresses: 1,
    });
    const [network] = networks;
    const [past] = network === undefined ? [] : await pastsOf(network, ["addresses"]);
    const [source] = past?.sources ?? [];
    const body = { id: "0x01", type: "contract_call", hash: "0xb1", height: 7, received: 5n };
    const row = { time: 1500, height: 7, place: 0, id: "0x01", body };
    spool.save(source?.name ?? "", { rows: [row], position: undefined, isComplete: true, oldest: 1500 });
    const api = {
      isRetired: () => false,
      getWhole: async () => {
        throw new ApiError(reason, "transactions_with_transfers", "planned by the test");
      },
    } as unknown as StacksApi;

    const complete = source?.complete?.({ api, spool, range: { since: 1000, until: 2000 }, onRead: () => undefined });

    await expect(complete).rejects.toMatchObject({ reason, message: expect.stringContaining("planned by the test") });
  },
);
