// The state of the running simulator, for people.
import type { Chain } from "../chain/chain.ts";
import { fullness } from "../chain/cost.ts";
import { countPrints } from "../chain/expected-totals.ts";
import type { FaultList } from "../faults/fault-list.ts";
import type { RequestLog } from "../http/request-log.ts";
import type { Replicas } from "../replicas/replicas.ts";

/** The state that the control changes and reads. */
export interface ControlContext {
  readonly chain: Chain;
  readonly faults: FaultList;
  readonly log: RequestLog;
  readonly replicas: Replicas;
  /** Advances virtual time by this number of seconds. */
  readonly advance: (seconds: number) => void;
  /** Minimum interval between blocks in real seconds. */
  readonly fastestBlockSeconds: number;
}

/** The state as JSON: virtual time in Unix seconds, fullness as a ratio, fees in µSTX. */
export function stateJson({ chain, faults, log, fastestBlockSeconds }: ControlContext): unknown {
  const { accounts, ledger } = chain;
  const users = accounts.users.slice(0, 5);
  return {
    virtual_time: chain.now,
    virtual_time_iso: new Date(chain.now * 1000).toISOString(),
    seed: chain.options.seed,
    network: accounts.network,
    scenarios: chain.activeScenarios,
    height: chain.height,
    tip_hash: ledger.tip?.hash ?? null,
    burn_height: ledger.tip?.burn.height ?? null,
    budget_used: fullness(chain.budgetUsed),
    mempool_size: chain.mempool.size,
    fastest_block_seconds: fastestBlockSeconds,
    faults: faults.list(),
    requests: { total: log.total, by_operation_and_status: log.counts() },
    addresses: { users, sponsor: accounts.sponsor, deployer: accounts.deployer },
    transactions_of_users: Object.fromEntries(users.map((user) => [user, ledger.principals.of(user).total])),
    contracts: accounts.contracts,
    prints_of_logger: countPrints(chain, accounts.contracts.logger),
    assets: accounts.assets,
  };
}
