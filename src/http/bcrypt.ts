// Bcrypt in a thread of its own: one comparison takes from 50 ms to seconds.
import { once } from "node:events";
import { Worker } from "node:worker_threads";

const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";

/** Whether a password matches a hash. Rejects when the comparison fails. */
export async function compareInThread(password: string, hash: string): Promise<boolean> {
  const workerData = { password, hash };
  const worker = new Worker(new URL(`./bcrypt-worker.${extension}`, import.meta.url), { workerData });
  // It must not keep the process alive.
  worker.unref();
  const [isEqual] = (await once(worker, "message")) as [boolean];
  return isEqual;
}
