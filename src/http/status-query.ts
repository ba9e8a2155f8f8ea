// The query parameters of the JSON endpoints. Unknown parameters and invalid values are errors (ZodError).
import { z } from "zod";
import { TARGET_STATES } from "../telemetry/status.ts";

const text = z.string().optional();
const selection = z.strictObject({
  network: text,
  collector: text,
  state: z.enum(TARGET_STATES).optional(),
  principal: text,
  name: text,
  group: text,
  limit: z.coerce.number().int().min(1).max(100_000).default(100),
});

/** Which targets are listed: those with these values, and how many of them. docs/status.md describes it. */
export type Selection = z.output<typeof selection>;

/** Parses a query such as `collector=addresses&state=degraded`. @throws ZodError */
export const parseQuery = (query: object): Selection => selection.parse(query);

/** The network that a query names, if any. @throws ZodError */
export const parseNetwork = (query: object): string | undefined =>
  z.strictObject({ network: text }).parse(query).network;
