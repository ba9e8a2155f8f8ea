// Remote control under /_sim/, for people who try the exporter: change the simulated chain, and see its state.
import type { SendOptions } from "../chain/chain.ts";
import type { ReorgOptions } from "../chain/reorg.ts";
import type { Tx } from "../chain/transaction.ts";
import type { Delivery } from "../http/deliver.ts";
import { JSON_TYPE, withBody } from "../http/respond.ts";
import { type Fields, InputError, number, oneOf, parseFields, text, whole } from "./fields.ts";
import { parseFault } from "./parse.ts";
import { type ControlContext, stateJson } from "./state.ts";

const HELP = `A simulated Stacks API. Nothing here is real.

GET  /_sim/state                       time, height, mempool, faults, addresses and contracts to watch
POST /_sim/spike?seconds=&strength=    a mint rush: fees of calls climb, blocks fill
POST /_sim/flood?seconds=&strength=    cheap calls by the thousand
POST /_sim/stuck?seconds=&strength=    high fees that can never be mined (nonce gaps); blocks stay as they are
POST /_sim/calm                        end of all that
POST /_sim/reorg?depth=2               replace the newest blocks
       places=same (each transaction at its old place), aborted=0.5 (share that fails, without its events)
POST /_sim/send?fee=&skip=&nonce=      an address sends a transfer: fee in microSTX, not mined below 180;
                                       skip=1 leaves a nonce out, so it and later ones wait for that nonce
       amount= (microSTX)
POST /_sim/replace?fee=                the same nonce as its oldest waiting transaction, with a higher fee
POST /_sim/drop                        its oldest waiting transaction is dropped
       address= (of send, replace and drop; without it: the first of the addresses in the state)
POST /_sim/advance?seconds=600         let virtual time pass
POST /_sim/fault?kind=&path=&count=    break responses; path may contain *, count is a number of requests
       kind=429 (retryAfter, asDate, withHeaders, body=json|html|text|empty), 500, 503, 410, 404
       kind=500&tx=0x…               every list that contains this transaction fails
       kind=invent (rows=1), kind=omit (every=2)  rows in real blocks that no block has; every second row is left out
       kind=404&path=/extended/v3/*  an older server without the operations of version 3
       kind=status (status, body), retired (deprecated operations off), db-down
       kind=redirect (to=other-host|same-host, location), reset, cut (part=0.5), huge (mebibytes=32)
       kind=slow-headers (seconds), slow-body (seconds, bytes, stalls)
       kind=garbage (form=text|truncated|html|empty), wrong-shape (form=other|list|nulls|strings|missing)
POST /_sim/clear                       end of all faults
POST /_sim/lag?blocks=20               about half of the requests come to a replica that is behind
POST /_sim/resync                      all of them to one that syncs from its first block, a block per request
POST /_sim/newest                      all of them to one that is up to date
`;

// A single request must not block the process for minutes.
const MAX_SECONDS = 7 * 86_400;
const MAX_DEPTH = 100;

function send(status: number, type: string, body: string): Delivery {
  return { response: withBody(status, type, body, { "cache-control": "no-store" }), mode: { kind: "whole" } };
}

const json = (status: number, value: unknown): Delivery =>
  send(status, JSON_TYPE, `${JSON.stringify(value, null, 2)}\n`);

function positive(query: URLSearchParams, name: string): number | undefined {
  const value = query.get(name);
  if (value === null || value === "") return undefined;
  const number = Number(value);
  if (number > 0 && Number.isFinite(number)) return number;
  throw new InputError(`${name} must be a number above 0, got ${value}`);
}

function oldestWaiting({ mempool }: ControlContext["chain"], sender: string): Tx {
  const oldest = mempool.byReceipt().find((tx) => tx.sender === sender);
  if (oldest === undefined) throw new InputError(`nothing of ${sender} waits`);
  return oldest;
}

const REORG: Fields = { depth: whole(1), places: oneOf("moved", "same"), aborted: number };
const SEND: Fields = { address: text, fee: whole(0), skip: whole(0), nonce: whole(0), amount: whole(1) };

const sent = ({ id, sender, nonce, fee }: Tx) => ({ tx_id: id, address: sender, nonce, fee });

// A command to an address, with the transaction that it is about.
function order({ chain }: ControlContext, command: "send" | "replace" | "drop", query: URLSearchParams): unknown {
  const [first = ""] = chain.accounts.users;
  // Every field was parsed by a parser of its kind.
  type Order = Omit<SendOptions, "amount"> & { address?: string; amount?: number };
  const { address = first, amount, ...options } = parseFields(query, SEND, command) as Order;
  if (command === "send") {
    return sent(chain.send(address, { ...options, amount: amount === undefined ? undefined : BigInt(amount) }));
  }
  const oldest = oldestWaiting(chain, address);
  if (command === "replace") return sent(chain.replace(oldest, options.fee ?? 2 * oldest.fee));
  chain.drop(oldest);
  return sent(oldest);
}

// Runs a command; returns what to send instead of the state, or false for an unknown command.
function run(context: ControlContext, command: string, query: URLSearchParams): unknown {
  const { chain, faults, replicas } = context;
  const seconds = positive(query, "seconds");
  const strength = positive(query, "strength");
  switch (command) {
    case "spike":
    case "flood":
    case "stuck":
      chain.begin(command, { ...(seconds && { seconds }), ...(strength && { strength }) });
      return undefined;
    case "calm":
      return chain.calm();
    case "reorg": {
      const { depth = 1, ...options } = parseFields(query, REORG, command) as ReorgOptions & { depth?: number };
      const { orphaned, replaced } = chain.reorg(Math.min(MAX_DEPTH, depth), options);
      return { orphaned: orphaned.map(({ hash }) => hash), replaced: replaced.map(({ hash }) => hash) };
    }
    case "send":
    case "replace":
    case "drop":
      return order(context, command, query);
    case "advance":
      return context.advance(Math.min(MAX_SECONDS, seconds ?? 600));
    case "fault":
      return faults.add(parseFault(query));
    case "clear":
      return faults.clear();
    case "lag":
      return replicas.use([{ kind: "newest" }, { kind: "lag", blocks: positive(query, "blocks") ?? 20 }]);
    case "resync":
      return replicas.use([{ kind: "resync" }]);
    case "newest":
      return replicas.clear();
    default:
      return false;
  }
}

/** Handles control requests; returns undefined for any other request. */
export function createControl(context: ControlContext): (method: string, target: string) => Delivery | undefined {
  return (method, target) => {
    if (!/^\/_sim([/?]|$)/.test(target)) return undefined;
    const { pathname, searchParams } = new URL(target, "http://control");
    const command = pathname.replace(/^\/_sim\/?/, "").replace(/\/$/, "");
    if (method === "GET" && command === "") return send(200, "text/plain; charset=utf-8", HELP);
    if (method === "GET" && command === "state") return json(200, stateJson(context));
    if (method !== "POST") return json(405, { error: "Use POST to change something, GET /_sim/ for help." });
    try {
      const result = run(context, command, searchParams);
      if (result === false) return json(404, { error: "No such command; GET /_sim/ lists them." });
      return json(200, result ?? stateJson(context));
    } catch (error) {
      if (error instanceof InputError) return json(400, { error: error.message });
      throw error;
    }
  };
}
