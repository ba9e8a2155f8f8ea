// Until the collectors that use it are changed.
export {
  type BlockHashes,
  type BlockStatus,
  blockStatus,
  type ChainView,
  depthOf,
  type Proof,
} from "../../chain/view.ts";
