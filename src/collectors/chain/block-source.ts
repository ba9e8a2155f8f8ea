// Until the collectors that use it are changed.
export { block, blockByHeight, hash, readBlock, status } from "../../chain/block-source.ts";
