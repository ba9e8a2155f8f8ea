// Deployments of new contracts.

import type { UnsignedTx } from "../chain/transaction.ts";
import { around, outcome, type TxContext } from "./context.ts";

const DEPLOY_COST = { readCount: 8, readLength: 9_000, runtime: 6_000_000, writeCount: 8, writeLength: 9_000 };
const STEP = "(define-public (step-NUMBER (n uint)) (ok (+ n uNUMBER)))\n";

/** A contract of a few dozen lines, with a name that the sender has not used. */
export function buildDeploy(context: TxContext, sender: string): UnsignedTx {
  const { random } = context;
  const lines = random.int(10, 40);
  const source = Array.from({ length: lines }, (_, index) => STEP.replaceAll("NUMBER", String(index))).join("");
  const name = `gadget-${random.int(1, 999_999)}`;
  return {
    sender,
    sponsor: null,
    payload: {
      type: "smart_contract",
      contract: `${sender}.${name}`,
      version: random.pick([null, 2, 3, 4]),
      source,
    },
    size: 140 + source.length,
    cost: around(random, DEPLOY_COST),
    conditions: [],
    conditionMode: "allow",
    ...outcome(context, []),
  };
}
