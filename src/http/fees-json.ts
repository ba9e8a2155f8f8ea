// The document at /api/v1/fees/recommended. Its fees have the names that users of mempool.space know.
import type { FeeAnswer } from "../telemetry/fee-report.ts";

type TypeEstimate = NonNullable<FeeAnswer["estimate"]["types"]["all"]>;

const feesJson = ({ fees, observations }: TypeEstimate) => ({
  fastestFee: fees["10m"],
  hourFee: fees["1h"],
  observations,
});

/** The document; docs/fee-estimate.md describes it. Undefined fields are absent from the JSON. */
export function recommendedFeesJson({ network, origin, estimate, now }: FeeAnswer, mask: (text: string) => string) {
  const { all, token_transfer, contract_call } = estimate.types;
  return {
    ...(all && feesJson(all)),
    unit: "microSTX",
    network,
    source: mask(origin),
    time: new Date(estimate.at).toISOString(),
    // The clock can be set back.
    age_seconds: Math.max(0, now - estimate.at) / 1000,
    blocks_have_room: estimate.hasRoom,
    types: {
      token_transfer: token_transfer && feesJson(token_transfer),
      contract_call: contract_call && feesJson(contract_call),
    },
  };
}
