// The bytes of one body: never more than the limit, packed or not.
import { promisify } from "node:util";
import { gunzip } from "node:zlib";

const unpack = promisify(gunzip);

/** The body cannot be used: larger than the limit, cut off, or packed in a way that was not asked for. */
export class BodyFailure extends Error {
  override readonly name = "BodyFailure";
  readonly kind: "too_large" | "network" | "bad_body";
  /** Bytes that came before it was given up. */
  readonly wireBytes: number;

  constructor(kind: "too_large" | "network" | "bad_body", message: string, wireBytes: number) {
    super(message);
    this.kind = kind;
    this.wireBytes = wireBytes;
  }
}

/**
 * Reads a body to its end; gives up as soon as it is too large, which makes the stream drop its connection.
 * @throws BodyFailure
 */
export async function readBody(chunks: AsyncIterable<Uint8Array>, encoding: string | undefined, maxBytes: number) {
  const parts: Uint8Array[] = [];
  let wireBytes = 0;
  for await (const chunk of chunks) {
    wireBytes += chunk.byteLength;
    if (wireBytes > maxBytes) throw new BodyFailure("too_large", `body larger than ${maxBytes} bytes`, wireBytes);
    parts.push(chunk);
  }
  const packed = Buffer.concat(parts, wireBytes);
  return { body: await unpacked(packed, encoding?.trim().toLowerCase() ?? "", maxBytes), wireBytes };
}

async function unpacked(packed: Buffer, encoding: string, maxBytes: number): Promise<Buffer> {
  if (encoding === "" || encoding === "identity" || packed.byteLength === 0) return packed;
  if (encoding !== "gzip" && encoding !== "x-gzip") {
    throw new BodyFailure("bad_body", "body in an encoding that was not asked for", packed.byteLength);
  }
  try {
    // The limit of the client's own `maxResponseSize` counts packed bytes, so a small bomb would pass it.
    return await unpack(packed, { maxOutputLength: maxBytes });
  } catch (error) {
    const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
    if (code === "ERR_BUFFER_TOO_LARGE") {
      throw new BodyFailure("too_large", `body larger than ${maxBytes} bytes when unpacked`, packed.byteLength);
    }
    // Z_BUF_ERROR: the packed data ends too early, although the transfer seemed complete.
    if (code === "Z_BUF_ERROR") throw new BodyFailure("network", "packed body cut off", packed.byteLength);
    throw new BodyFailure("bad_body", "body is not gzip although it says so", packed.byteLength);
  }
}
