// Transfers of tokens, by asset. Anyone can choose an identifier: only valid ones have series, and only as many as
// there are slots. All others count as `other`. Pure.
import { isAssetId } from "../clarity-names.ts";
import { add, addAmount, type Counters, type Draft, keyOf, move } from "../counters.ts";
import { OTHER } from "../labels.ts";
import { assignSlot, noSlots, type SlotLimits, type Slots, trim } from "../slots.ts";
import { TRANSFER_DIRECTIONS, type Transfer } from "./transfer-source.ts";

/** Totals by asset; `other` has the assets without a slot. */
export interface AssetTotals {
  /** By asset, direction. */
  readonly ftTransfers: Counters<number>;
  readonly ftAmounts: Counters<bigint>;
  readonly nftTransfers: Counters<number>;
  /** By asset class: transfers that count as `other`. */
  readonly overflow: Counters<number>;
  /** Assets that have their own series, by transfers. */
  readonly assets: { readonly ft: Slots; readonly nft: Slots };
}

/** Totals before the first transfer. */
export const NO_ASSETS: AssetTotals = {
  ftTransfers: {},
  ftAmounts: {},
  nftTransfers: {},
  overflow: {},
  assets: { ft: noSlots(), nft: noSlots() },
};

/** Maximum number of assets with their own series. */
export interface AssetLimits {
  /** Per asset class and principal. */
  readonly perClass: number;
  /** Series that new assets can add, for all classes. */
  readonly spareSeries: number;
  /** Identifiers of assets that always have their own series. @default none */
  readonly named?: readonly string[] | undefined;
}

// A fungible asset has transfers and amounts, by direction.
const SERIES_PER_ASSET = 2 * TRANSFER_DIRECTIONS.length;

/** The slots for assets that one poll can use. */
export function slotLimits({ perClass, spareSeries, named = [] }: AssetLimits): SlotLimits {
  return { max: perClass, named: new Set(named), spare: Math.floor(spareSeries / SERIES_PER_ASSET) };
}

type Token = Transfer & { readonly kind: "ft" | "nft" };

/** Whether a transfer is a transfer of a token. */
export const isToken = (transfer: Transfer): transfer is Token => transfer.kind !== "stx";

/** Evicts assets beyond the limits in place. */
export function trimAssets(totals: Draft<AssetTotals>, limits: SlotLimits): void {
  for (const kind of ["ft", "nft"] as const) {
    for (const asset of trim(totals.assets[kind], limits)) moveToOther(totals, kind, asset);
  }
}

/** Counts a transfer of a token in place. */
export function addToken(
  totals: Draft<AssetTotals>,
  { kind, asset, direction, amount }: Token,
  limits: SlotLimits,
): void {
  const { isOwn, evicted } = assignSlot(totals.assets[kind], isAssetId(asset) ? asset : undefined, limits);
  if (evicted !== undefined) moveToOther(totals, kind, evicted);
  if (!isOwn) add(totals.overflow, kind);
  const key = keyOf(isOwn ? asset : OTHER, direction);
  add(kind === "ft" ? totals.ftTransfers : totals.nftTransfers, key);
  if (kind === "ft" && amount !== undefined) addAmount(totals.ftAmounts, key, amount);
}

// The sum over all assets must not fall: `other` takes the counts of the asset, whose series end.
function moveToOther(totals: Draft<AssetTotals>, kind: Token["kind"], asset: string): void {
  for (const direction of TRANSFER_DIRECTIONS) {
    const [from, to] = [keyOf(asset, direction), keyOf(OTHER, direction)];
    const moved = move(kind === "ft" ? totals.ftTransfers : totals.nftTransfers, from, to);
    if (moved !== undefined) add(totals.overflow, kind, moved);
    if (kind === "ft") move(totals.ftAmounts, from, to);
  }
}
