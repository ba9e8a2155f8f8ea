// The shape of an upstream in /api/v1/status.
import { z } from "zod";
import { REASONS, type Reason } from "../api/errors.ts";

const time = () => z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

/** One upstream in `/api/v1/status`. */
export const upstreamAnswer = z.object({
  name: z.string().describe("Name of the upstream; `default` for the only one."),
  url: z.string().describe("Scheme, host and port."),
  active: z.boolean().describe("Whether polls use it now."),
  up: z.boolean().optional().describe("Whether it can be used. Absent before the first contact."),
  tip_height: z.int().min(0).optional().describe("Height of the tip that it last told. Absent until then."),
  lag_blocks: z
    .int()
    .min(0)
    .optional()
    .describe("Blocks between the highest known tip and its own. Absent until then."),
  cause: z
    .object({
      reason: z.enum(Object.keys(REASONS) as Reason[]).describe("One of the closed list of reasons."),
      message: z.string().describe("The problem, with secrets masked."),
      since: time().describe("Since when."),
    })
    .optional()
    .describe("Why it cannot be used. Absent while it can."),
});

/** One upstream in `/api/v1/status`. */
export type UpstreamAnswer = z.infer<typeof upstreamAnswer>;
