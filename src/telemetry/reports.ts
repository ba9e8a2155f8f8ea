// What networks, their upstreams and reloads report about themselves. Messages are not masked; times are Unix time in
// milliseconds.
import type { Client } from "../api/client.ts";
import type { Reason } from "../api/errors.ts";

/** One window of a budget; requests. */
export interface WindowUse {
  /** Requests that the schedules need. */
  readonly planned: number;
  /** Undefined without a limit, like the next two. */
  readonly limit?: number;
  readonly used?: number;
  readonly available?: number;
}

/** Why an upstream, or a whole network, cannot be used. */
export interface BlockedReport {
  readonly reason: Reason;
  readonly message: string;
  readonly since: number;
}

/** One upstream of a network. */
export interface UpstreamReport {
  readonly name: string;
  /** Scheme, host and port: no path, because some providers put a token into it. */
  readonly url: string;
  /** Whether polls use it. */
  readonly active: boolean;
  /** Undefined before the first contact. */
  readonly up: boolean | undefined;
  /** Blocks behind the highest known tip; undefined until the upstream reports its own. */
  readonly lag_blocks: number | undefined;
  /** Undefined while it is up. */
  readonly cause: BlockedReport | undefined;
}

/** One network: its client state is that of the active upstream. */
export interface NetworkReport extends Pick<ReturnType<Client["snapshot"]>, "pausedUntil" | "outage"> {
  readonly name: string;
  /** `url` of the active upstream. */
  readonly url: string;
  /** In the order of the configuration. */
  readonly upstreams: readonly UpstreamReport[];
  readonly budget: { readonly minute: WindowUse; readonly month: WindowUse };
  /** Why the network is not polled; undefined while it is. */
  readonly blocked: BlockedReport | undefined;
  /** Time by which every present target is polled for the first time, as planned when the newest one was added. */
  readonly first_polls_end_at: number;
}

/** The last reload of files. */
export interface ReloadReport {
  /** The first error, the number of errors, and the first failure in a row; absent after a success. */
  readonly failure?: { readonly message: string; readonly errors: number; readonly since: number };
}

/** Reloads of the configuration, of the files that it names, and of the web configuration; undefined without. */
export type ReloadReports = Readonly<Record<"configuration" | "files" | "web", ReloadReport | undefined>>;
