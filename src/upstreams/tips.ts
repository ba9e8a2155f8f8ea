// Which tip a server has, read from the answers that tell it anyway: the status, and the first page of the list of blocks.
import { z } from "zod";
import type { Operation, Parameters, StacksApi } from "../api/operation.ts";

const status = z.object({ chain_tip: z.object({ block_height: z.int() }) });
const blocks = z.object({ results: z.array(z.object({ height: z.int() })).min(1) });

/** Height of the tip in a response; undefined when it holds none. */
export function tipOf({ name }: Operation, { query = {} }: Parameters<string>, body: unknown): number | undefined {
  if (name === "status") return status.safeParse(body).data?.chain_tip.block_height;
  const isFirstPage = name === "blocks" && (query.offset ?? 0) === 0 && query.cursor === undefined;
  return isFirstPage ? blocks.safeParse(body).data?.results[0]?.height : undefined;
}

/** The same API; calls `onTip` for each response that holds the tip. */
export function withTips(api: StacksApi, onTip: (height: number) => void): StacksApi {
  const told = <Result extends { readonly body: unknown } | undefined>(
    asked: Promise<Result>,
    operation: unknown,
    parameters: unknown,
  ): Promise<Result> =>
    asked.then((answer) => {
      const height =
        answer === undefined ? undefined : tipOf(operation as Operation, parameters as Parameters<string>, answer.body);
      if (height !== undefined) onTip(height);
      return answer;
    });
  return {
    ...api,
    get: (operation, parameters) => told(api.get(operation, parameters), operation, parameters),
    getWhole: (operation, parameters) => told(api.getWhole(operation, parameters), operation, parameters),
    getIfChanged: (operation, parameters, etag) =>
      told(api.getIfChanged(operation, parameters, etag), operation, parameters),
    find: (operation, parameters) => told(api.find(operation, parameters), operation, parameters),
  };
}
