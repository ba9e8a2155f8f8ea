import { z } from "zod";
import type { Sample } from "../../exposition/family.ts";
import { startOf } from "../../ledger/ledger.ts";
import { type CountedRow, type WatchedTarget, watchedTargets } from "../collector.ts";
import type { Adder, Labels } from "../counted.ts";
import { counting } from "../counting.ts";
import { type LastTime, lastTimeOf } from "../list.ts";
import { pagesOption } from "../options.ts";
import { addressSums, families } from "./families.ts";
import { lastCounted, limitedOutflow, limitFamilies, type Outflow, outflowSamples } from "./outflow.ts";
import {
  addressTransactions,
  DIRECTIONS,
  type Direction,
  directionOf,
  PAGE,
  principalTransactions,
  type Transaction,
  transactionLists,
} from "./source.ts";
import {
  MAX_REQUESTS,
  TRANSFER_DIRECTIONS,
  type Transfer,
  transferOperations,
  type WholeTransaction,
  withTransfers,
} from "./transfers.ts";

const options = z.object({
  backfill: z
    .enum(["none", "all"])
    .default("none")
    .meta({ description: "Transactions from before the first poll that are counted." }),
  transfers: z
    .boolean()
    .default(true)
    .meta({
      description:
        "Whether transfers are read. Costs one request for each block with new transactions whose transfers are not " +
        "in the list, or for each such transaction if the server has removed that operation.",
    }),
  pages: pagesOption(PAGE),
  max_assets: z
    .int()
    .min(0)
    .max(10_000)
    .default(10)
    .meta({
      description:
        "Maximum number of assets of one address with their own series, for fungible and for non-fungible tokens, " +
        "besides those in `assets` of the network: the first ones. Half of the places are for assets that the " +
        "address moved itself, or that moved out of it. The others count as `other`.",
    }),
});
type Options = z.infer<typeof options>;

interface AddressTarget extends WatchedTarget {
  /** Identifiers of the assets that always have series. @default none */
  readonly named?: readonly string[];
}

interface Own {
  readonly times: Readonly<Partial<Record<Direction, LastTime | undefined>>>;
  /** The greatest height that was old at the first poll: what counts up to it is a backfill. */
  readonly start: number;
  /** By asset with a limit. */
  readonly outflow: Readonly<Record<string, Outflow>>;
  /** Whether an operation returns transfers. */
  readonly hasTransfers: boolean;
  /** Undefined in the state of a version that did not keep them. */
  readonly last?: readonly CountedRow[];
}

// An address that receives STX, sends STX and uses one token.
const TYPICAL = [
  [families.backlog, families.pending, families.sent, families.received],
  [families.lastTime, families.fees, families.stxAmounts, families.ftTransfers, families.ftAmounts],
  [families.transactions],
];
const allFamilies = [...Object.values(families), ...limitFamilies, ...addressSums.map(({ as }) => as)];
const HOUR_SECONDS = 3600;

/** Transactions and transfers of watched addresses, each counted once. */
export const addresses = counting<WholeTransaction, Own, Options, AddressTarget>({
  name: "addresses",
  about: "Transactions, transfers, fees and outflow of watched addresses, each transaction counted once.",
  schedule: { keyless: "every 5m", free_key: "every 1h" },
  timeout: "4m", // a small budget admits one request a minute, and the lists of other targets wait for it, too
  priority: 5,
  operations: [addressTransactions, principalTransactions, ...transferOperations],
  families: allFamilies,
  typicalSeries: Object.fromEntries([
    ...allFamilies.map(({ name }) => [name, 0]),
    ...TYPICAL.flatMap((some, index) => some.map(({ name }) => [name, index + 1])),
  ]),
  sums: addressSums,
  options,
  targets(network): readonly AddressTarget[] {
    const named = network.assets.map(({ id }) => id);
    return watchedTargets(network.addresses, network).map((target) => ({ ...target, named }));
  },
  hints({ values: { pending, unread, waiting, held } }, { key }) {
    // Transactions whose transfers are missing do not cause an early poll.
    const isUncounted = held === undefined && unread + waiting > 0;
    // The budget ended before their transfers were read.
    const isShort = isUncounted && unread === 0 && waiting <= MAX_REQUESTS;
    return { moved: isShort ? [key] : [], isWaiting: pending > 0, isBehind: isUncounted && !isShort };
  },

  lists: ({ api, target }) => transactionLists(api, target.watched.principal, (transaction) => transaction),
  listFamilies: families,
  complete: ({ api, target }, { transfers }) =>
    transfers ? withTransfers(api, target.watched.principal) : async (rows) => ({ rows }),
  incomplete: { family: families.irregularities, labels: { kind: "transfers_missing" } },
  counts: {
    identity: (network, { watched: { name, principal } }) => ({ network, name, address: principal }),
    places: ({ named = [] }, { max_assets: max }) =>
      ASSETS.map(([asset_class, ...of]) => ({
        name: asset_class,
        families: of,
        labels: ["asset"],
        max,
        named,
        // Anyone can create tokens and send them to an address.
        reserved: Math.floor(max / 2),
        series: of.length * TRANSFER_DIRECTIONS.length,
      })),
  },

  start(to) {
    to.start(families.sent);
    to.start(families.received);
  },
  count(tx, to, { watched: { principal } }) {
    const { type: tx_type, status: tx_status, fee, sent, received, sponsor, transfers = [] } = tx;
    const direction = directionOf(tx, principal);
    to.add(families.transactions, { tx_type, tx_status, direction });
    to.add(families.sent, {}, sent ?? 0n);
    to.add(families.received, {}, received ?? 0n);
    if ((sponsor ?? tx.sender) === principal && fee) {
      to.add(families.fees, { tx_type, role: sponsor === undefined ? "sender" : "sponsor" }, fee);
    }
    for (const transfer of transfers) addTransfer(to, transfer, direction !== "received");
    const amounts = [fee, sent, received, ...transfers.map(({ amount }) => amount)];
    if (amounts.includes(undefined)) to.add(families.irregularities, { kind: "bad_amount" });
  },
  lastCounted: ({ values }) => values.own.last ?? [],
  next(before, { rows = [], view, counted, reverted }, { api, target: { watched, named }, now, chain }, settings): Own {
    // Those that are counted can be below the newest page.
    const byDirection = Map.groupBy([...counted, ...rows], (tx) => directionOf(tx, watched.principal));
    const timeOf = (of: Direction) => lastTimeOf(before?.times[of], byDirection.get(of) ?? [], view);
    const start = before?.start ?? startOf(view, rows);
    const isNew = ({ height, time = 0 }: Transaction) => height > start || time > now / 1000 - HOUR_SECONDS;
    // A clock that is more than ten minutes ahead of the chain can be wrong.
    const at = Math.min(now, (chain?.tipAt ?? now) + 600_000);
    return {
      times: Object.fromEntries(DIRECTIONS.map((direction) => [direction, timeOf(direction)])),
      start,
      outflow: limitedOutflow(before?.outflow, watched, counted.filter(isNew), at),
      last: lastCounted(before?.last, { counted, reverted }, named),
      hasTransfers: settings.transfers && transferOperations.some((from) => !api.isRetired(from)),
    };
  },
  *gauges({ pending, unread, waiting, own }, labels, { watched }): Iterable<Sample> {
    const at = (more: Labels): Labels => ({ ...labels, ...more });
    for (const [direction, last] of Object.entries(own.times))
      if (last !== undefined) yield families.lastTime.at(at({ direction }), last.value);
    yield families.pending.at(labels, pending);
    yield families.backlog.at(labels, Math.max(unread, waiting));
    yield* outflowSamples(own.outflow, own.hasTransfers, labels, watched);
  },
});

const ASSETS = [
  ["ft", families.ftTransfers, families.ftAmounts],
  ["nft", families.nftTransfers],
] as const;

function addTransfer(to: Adder, { kind, asset, direction, amount = 0n }: Transfer, isOwn: boolean): void {
  if (kind === "stx") {
    if (amount > 0n) to.add(families.stxAmounts, { direction }, amount);
    return;
  }
  const isPreferred = isOwn || direction === "out" || direction === "burn";
  to.add(kind === "ft" ? families.ftTransfers : families.nftTransfers, { asset, direction }, 1, isPreferred);
  if (kind === "ft" && amount > 0n) to.add(families.ftAmounts, { asset, direction }, amount, isPreferred);
}
