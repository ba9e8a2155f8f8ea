// Until the collectors that use it are changed.
export { noteFloor, viewOf } from "../../chain/view.ts";
