// A receiver of Alertmanager's webhooks that keeps the notifications.
import { once } from "node:events";
import { createServer } from "node:http";

/** One notification: what Alertmanager sends in one request. */
export interface Notification {
  /** Time when it arrived, Unix milliseconds. */
  readonly at: number;
  /** Path of the receiver's URL: identifies the receiver. */
  readonly path: string;
  readonly status: "firing" | "resolved";
  readonly alerts: readonly {
    readonly status: "firing" | "resolved";
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
    /** Time when it began to fire or ended, as reported by Prometheus. RFC 3339. */
    readonly startsAt: string;
    readonly endsAt: string;
  }[];
}

export interface Webhook {
  /** Without a slash at the end. */
  readonly url: string;
  /** In the order of arrival. */
  readonly notifications: readonly Notification[];
  stop(): void;
}

export async function startWebhook(): Promise<Webhook> {
  const notifications: Notification[] = [];
  const server = createServer(async (request, response) => {
    const at = Date.now();
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = JSON.parse(Buffer.concat(parts).toString()) as Omit<Notification, "at" | "path">;
    notifications.push({ ...body, at, path: request.url ?? "" });
    response.end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    notifications,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
