// Remote control under /_sim/, for people who try the exporter out: make things happen, and see what is going on.
import type { Delivery } from "../faults/corrupt.ts";
import { parseFault } from "./parse-fault.ts";
import { parseReplicas } from "./parse-replicas.ts";
import { type ControlContext, stateJson } from "./state.ts";

const HELP = `A simulated Stacks API. Nothing here is real.

GET  /_sim/state                       time, height, mempool, faults, requests, addresses and contracts to watch
POST /_sim/spike?seconds=&strength=    a mint rush: fees climb, blocks fill
POST /_sim/flood?seconds=&strength=    cheap transfers by the thousand
POST /_sim/stuck?seconds=&strength=    high fees that can never be mined (nonce gaps); blocks stay as they are
POST /_sim/calm                        end of all that
POST /_sim/empty                       an empty mempool, until calm or another scenario
POST /_sim/reorg?depth=2               replace the newest blocks
POST /_sim/advance?seconds=600         let virtual time pass
POST /_sim/fault?kind=&path=&count=    break answers; path may contain *, count is a number of requests
       kind=429 (retryAfter, asDate, withHeaders, body=json|html|text|empty), 500, 503, 410, 404
       kind=status (status, body), retired (deprecated operations off), db-down
       kind=redirect (to=other-host|same-host, location), reset, cut (part=0.5), huge (mebibytes=32)
       kind=slow-headers (seconds), slow-body (seconds, bytes, stalls)
       kind=garbage (form=text|truncated|html|empty), wrong-shape (form=other|list|nulls|strings|missing)
POST /_sim/clear                       end of all faults
POST /_sim/replicas?use=               set the replicas behind this address, e.g. use=newest,lag:blocks=3
       newest, lag:blocks=3, lag:seconds=60    up to date; behind the chain
       stuck, stuck:blocks=3                   stopped
       resync, resync:from=0:perRequest=1, resync:perSecond=2
       ahead:blocks=1000, ahead:blocks=5:claims=height
       other, other:seed=x:blocks=40, empty    another chain; an empty database
       order=turns|random, every=1 (consecutive requests)
       requests=, seconds=, path= (limits; the newest replica answers beyond them)
POST /_sim/newest                      remove all replicas but the newest
`;

function isControl(target: string): boolean {
  return target === "/_sim" || target.startsWith("/_sim/") || target.startsWith("/_sim?");
}

function reply(status: number, type: string, body: string): Delivery {
  const headers = {
    "content-type": type,
    "content-length": String(Buffer.byteLength(body)),
    "cache-control": "no-store",
  };
  return { reply: { status, headers, body }, manner: { kind: "whole" } };
}

const json = (status: number, value: unknown): Delivery =>
  reply(status, "application/json; charset=utf-8", `${JSON.stringify(value, null, 2)}\n`);

class Mistake extends Error {}

function read<Value>(value: Value | string): Value {
  if (typeof value === "string") throw new Mistake(value);
  return value;
}

function positive(query: URLSearchParams, name: string): number | undefined {
  const value = query.get(name);
  if (value === null || value === "") return undefined;
  const number = Number(value);
  if (number > 0 && Number.isFinite(number)) return number;
  throw new Mistake(`${name} must be a number above 0, got ${value}`);
}

// A single request must not keep the process busy for minutes.
const MOST_SECONDS = 7 * 86_400;
const MOST_DEPTH = 100;

function act(reach: ControlContext, command: string, query: URLSearchParams): Delivery | undefined {
  const { chain, faults, replicas, advance } = reach;
  const state = () => json(200, stateJson(reach));
  const seconds = positive(query, "seconds");
  const strength = positive(query, "strength");
  switch (command) {
    case "spike":
    case "flood":
    case "stuck": {
      const length = seconds === undefined ? {} : { seconds };
      chain.begin(command, strength === undefined ? length : { ...length, strength });
      return state();
    }
    case "calm":
      chain.calm();
      return state();
    case "empty":
      chain.empty();
      return state();
    case "reorg": {
      const { orphaned, replaced } = chain.reorg(Math.min(MOST_DEPTH, Math.floor(positive(query, "depth") ?? 1)));
      return json(200, { orphaned: orphaned.map(({ hash }) => hash), replaced: replaced.map(({ hash }) => hash) });
    }
    case "advance":
      advance(Math.min(MOST_SECONDS, seconds ?? 600));
      return state();
    case "fault": {
      const fault = read(parseFault(query));
      return json(200, { id: faults.add(fault), fault });
    }
    case "clear":
      faults.clear();
      return state();
    case "replicas": {
      const { specs, sharing } = read(parseReplicas(query));
      replicas.use(specs, sharing);
      return state();
    }
    case "newest":
      replicas.clear();
      return state();
    default:
      return undefined;
  }
}

/** Answers requests for the control; undefined for any other request. */
export function createControl(reach: ControlContext): (method: string, target: string) => Delivery | undefined {
  return (method, target) => {
    if (!isControl(target)) return undefined;
    const { pathname, searchParams } = new URL(target, "http://control");
    const command = pathname.replace(/^\/_sim\/?/, "").replace(/\/$/, "");
    if (method === "GET" && command === "") return reply(200, "text/plain; charset=utf-8", HELP);
    if (method === "GET" && command === "state") return json(200, stateJson(reach));
    if (method !== "POST") return json(405, { error: "Use POST to change something, GET /_sim/ for help." });
    try {
      return act(reach, command, searchParams) ?? json(404, { error: "No such command; GET /_sim/ lists them." });
    } catch (error) {
      if (error instanceof Mistake) return json(400, { error: error.message });
      throw error;
    }
  };
}
