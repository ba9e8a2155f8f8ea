// The dashboards in the JSON format of Grafana, one file each.

import { boardWith } from "../../dashboards/board.ts";
import { boards } from "../../dashboards/index.ts";
import type { Output } from "./output.ts";

/** The generated dashboards. */
export const dashboardOutputs: readonly Output[] = boards.map((board) => ({
  path: `dashboards/json/${board.uid}.json`,
  render: () => `${JSON.stringify(boardWith(board), undefined, 2)}\n`,
}));
