// The state of the running simulator, for people.
import type { Chain } from "../chain/chain.ts";
import { fullness } from "../chain/cost.ts";
import { countPrints } from "../chain/expected-totals.ts";
import type { FaultList } from "../faults/fault-list.ts";
import type { Replicas } from "../replicas/replicas.ts";

/** The state that the control changes and reads. */
export interface ControlContext {
  readonly chain: Chain;
  readonly faults: FaultList;
  readonly replicas: Replicas;
  /** Advances virtual time by this number of seconds. */
  readonly advance: (seconds: number) => void;
}

/** The state as JSON: virtual time in Unix seconds, fullness as a ratio, fees in µSTX. */
export function stateJson({ chain, faults }: ControlContext): unknown {
  const { accounts, ledger } = chain;
  const users = accounts.users.slice(0, 5);
  return {
    virtual_time: chain.now,
    virtual_time_iso: new Date(chain.now * 1000).toISOString(),
    seed: chain.options.seed,
    network: accounts.network,
    scenarios: chain.market.scenarios.map(({ kind }) => kind),
    height: chain.height,
    tip_hash: ledger.tip?.hash ?? null,
    burn_height: ledger.tip?.burn.height ?? null,
    budget_used: fullness(chain.budgetUsed),
    mempool_size: chain.mempool.size,
    faults: faults.list(),
    addresses: { users, sponsor: accounts.sponsor, deployer: accounts.deployer },
    transactions_of_users: Object.fromEntries(users.map((user) => [user, ledger.principals.of(user).total])),
    contracts: accounts.contracts,
    prints_of_logger: countPrints(chain, accounts.contracts.logger),
    assets: accounts.assets,
  };
}
