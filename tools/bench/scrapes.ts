// Scrapes per second, compared with the same bytes from bare node:http and with prom-client behind express.
import { type Load, load } from "./load.ts";

export interface Scrapes {
  readonly series: number;
  readonly still: Load;
  readonly bare: Load;
  readonly gzip: Load;
  readonly bareGzip: Load;
  readonly changing: Load;
  readonly promChanging: Load;
  readonly changingOpenMetrics: Load;
  readonly promChangingOpenMetrics: Load;
  readonly promStill: Load;
}

const OPENMETRICS = "application/openmetrics-text; version=1.0.0";

/** All combinations for a number of series. The two sides of each ratio run one right after the other. */
export async function measureScrapes(series: number): Promise<Scrapes> {
  // Every target changes between any two scrapes: one client, so that scrapes follow one another.
  const changing = { mode: "changing", clients: 1 };
  return {
    series,
    still: await load("ours", series),
    bare: await load("bare", series),
    gzip: await load("ours", series, { gzip: true }),
    bareGzip: await load("bare-gzip", series, { gzip: true }),
    promStill: await load("prom-client", series),
    changing: await load("ours", series, changing),
    promChanging: await load("prom-client", series, changing),
    changingOpenMetrics: await load("ours", series, { ...changing, accept: OPENMETRICS }),
    promChangingOpenMetrics: await load("prom-client", series, { ...changing, accept: OPENMETRICS }),
  };
}
