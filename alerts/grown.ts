// Increase of counters whose series appear with their first value, such as most of a watched address.

import { on } from "./series.ts";

/** Joins series of the same address and exporter. */
export const onAddress = on("network", "name", "address");

/**
 * The increase of a counter of an address within a window. `increase()` does not see the value with which a series
 * appears. So a series that was absent when the window began counts with its whole value, if the address was known
 * then: an address that has just been added can bring a history.
 * @param info the series of `stacks_address_info`
 */
export const grown = (selector: string, info: string, window: string): string =>
  `(${selector} unless (${selector} offset ${window}) and ${onAddress} (${info} offset ${window}) or increase(${selector}[${window}]))`;
