// Bcrypt in a worker thread, one comparison at a time.
import { once } from "node:events";
import { Worker } from "node:worker_threads";

const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";

/** Compares passwords with hashes. The thread starts with the first comparison. */
export class Bcrypt {
  #worker: Worker | undefined;
  #last: Promise<unknown> = Promise.resolve();

  /** Whether the password matches the hash. Rejects when the thread ends. */
  compare(password: string, hash: string): Promise<boolean> {
    const compared = this.#last.then(() => this.#compare(password, hash));
    this.#last = compared.catch(() => undefined);
    return compared;
  }

  async #compare(password: string, hash: string): Promise<boolean> {
    const worker = this.#worker ?? this.#start();
    const ended = new AbortController();
    const onExit = () => ended.abort(new Error("the thread that compares passwords has ended"));
    worker.once("exit", onExit);
    try {
      const compared = once(worker, "message", { signal: ended.signal });
      worker.postMessage({ password, hash });
      const [isEqual] = (await compared) as [boolean];
      return isEqual;
    } finally {
      worker.off("exit", onExit);
    }
  }

  #start(): Worker {
    const worker = new Worker(new URL(`./bcrypt-worker.${extension}`, import.meta.url));
    // It must not keep the process alive.
    worker.unref();
    worker.once("exit", () => {
      this.#worker = undefined;
    });
    this.#worker = worker;
    return worker;
  }

  /** Ends the thread. */
  async close(): Promise<void> {
    await this.#worker?.terminate();
  }
}
