// The API about itself. Says "ready" even with a dead database; only the missing chain tip betrays it.
import { tipTag } from "../etag.ts";
import { operation } from "../operation.ts";
import { SERVER_VERSION } from "../version.ts";

/** Server version and chain tip. */
export const status = operation({
  template: "/extended",
  needsNoDatabase: true,
  read: () => undefined,
  tag: tipTag,
  answer({ chain, isDown }) {
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

/** The old address of the same. */
export const oldStatus = operation({
  template: "/extended/v1/status",
  needsNoDatabase: true,
  read: () => undefined,
  tag: () => undefined,
  answer: () => ({ status: 301, headers: { location: "/extended" } }),
});
