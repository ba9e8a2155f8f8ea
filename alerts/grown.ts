// Increase of counters whose series appear with their first value, such as most of a watched address.

import { lately, on, series } from "./series.ts";

/** Joins series of the same address and exporter. */
export const onAddress = on("network", "name", "address");

// A counter that every address has since its first poll.
const COUNTED = series("stacks_address_sent_microstx_total");

/**
 * The increase of a counter within a window, by default of an address. `increase()` does not see the value with which a
 * series appears. So a series that was absent when the window began counts with its whole value, if `known` was there
 * then: an address that has just been added can bring a history. Scrapes may fail for less than five minutes.
 */
export const grown = (selector: string, window: string, onOwner = onAddress, known = COUNTED): string =>
  `(${lately(selector)} unless last_over_time(${selector}[5m] offset ${window}) and ${onOwner} last_over_time(${known}[5m] offset ${window}) or increase(${selector}[${window}]))`;
