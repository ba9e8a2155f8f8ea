// The status of the API. It is "ready" even while the database is down; then only the chain tip is missing.
import { tipTag } from "../etag.ts";
import { operation } from "../operation.ts";

/** Version in the format of the server: `v<version> (<branch>:<commit>)`. */
export const SERVER_VERSION = "v9.0.2 (main:759c4a5)";

export const status = operation({
  template: "/extended",
  needsNoDatabase: true,
  parse: () => undefined,
  tag: tipTag,
  respond({ chain, isDown }) {
    const tip = isDown ? undefined : chain.ledger.tip;
    const head = { server_version: `stacks-blockchain-api ${SERVER_VERSION}`, status: "ready" };
    if (tip === undefined) return { status: 200, json: head };
    const chainTip = {
      block_height: chain.height,
      block_hash: tip.hash,
      index_block_hash: tip.indexHash,
      burn_block_height: tip.burn.height,
    };
    return { status: 200, json: { ...head, chain_tip: chainTip } };
  },
});
