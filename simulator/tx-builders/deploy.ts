// Deployments of contracts.
import type { UnsignedTx } from "../chain/transaction.ts";
import { randomOutcome, type TxContext, varyCost } from "./context.ts";

const DEPLOY_COST = { readCount: 8, readLength: 9_000, runtime: 6_000_000, writeCount: 8, writeLength: 9_000 };

/** A contract of a few dozen lines. */
export function buildDeploy(context: TxContext, sender: string): UnsignedTx {
  const { random } = context;
  const lines = Array.from(
    { length: random.int(10, 40) },
    (_, index) => `(define-public (step-${index} (n uint)) (ok (+ n u${index})))\n`,
  );
  const source = lines.join("");
  const contract = `${sender}.gadget-${random.int(1, 999_999)}`;
  return {
    sender,
    sponsor: null,
    payload: { type: "smart_contract", contract, version: random.pick([null, 2, 3, 4]), source },
    size: 140 + source.length,
    cost: varyCost(random, DEPLOY_COST),
    conditions: [],
    conditionMode: "allow",
    ...randomOutcome(context, []),
  };
}
