import type { Scenario } from "../../support/promtool.ts";
import { waitingScenarios } from "./address-waiting.ts";
import { addressScenarios } from "./addresses.ts";
import { balanceScenarios } from "./balances.ts";
import { chainScenarios } from "./chain.ts";
import { contractScenarios } from "./contracts.ts";
import { exporterScenarios } from "./exporter.ts";
import { feeScenarios } from "./fees.ts";
import { totalScenarios } from "./totals.ts";
import { upstreamScenarios } from "./upstreams.ts";

/** Every scenario of every alert. */
export const scenarios: readonly Scenario[] = [
  ...feeScenarios,
  ...addressScenarios,
  ...balanceScenarios,
  ...waitingScenarios,
  ...contractScenarios,
  ...chainScenarios,
  ...exporterScenarios,
  ...totalScenarios,
  ...upstreamScenarios,
];
