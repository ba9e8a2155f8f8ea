// Post conditions on the wire.
import type { PostCondition } from "../chain/transaction.ts";
import { valueJson } from "./spelling.ts";

function principalJson(principal: string | null): unknown {
  if (principal === null) return { type_id: "principal_origin" };
  const [address, name] = principal.split(".");
  if (name === undefined) return { type_id: "principal_standard", address };
  return { type_id: "principal_contract", address, contract_name: name };
}

function assetJson(asset: string): unknown {
  const [contract = "", name] = asset.split("::");
  const [address, contractName] = contract.split(".");
  return { asset_name: name, contract_address: address, contract_name: contractName };
}

/** One post condition, e.g. `{principal, condition_code: "sent_equal_to", amount: "5", type: "stx"}`. */
export function conditionJson(condition: PostCondition): unknown {
  const head = { principal: principalJson(condition.principal), condition_code: condition.code };
  switch (condition.kind) {
    case "stx":
      return { ...head, amount: String(condition.amount), type: "stx" };
    case "fungible":
      return { ...head, amount: String(condition.amount), type: "fungible", asset: assetJson(condition.asset) };
    case "non_fungible": {
      const rest = { asset_value: valueJson(condition.value), asset: assetJson(condition.asset) };
      return { ...head, type: "non_fungible", ...rest };
    }
  }
}
