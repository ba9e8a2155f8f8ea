// The checksum of a saved row: it detects damage on the disk, not forgery.
import { crc32 } from "node:zlib";

/**
 * CRC-32 of the columns of a row, from 0 to 2^32 - 1. The last column is the body. Missing and foreign values count as the
 * text that they convert to, so that a damaged row has a checksum as well.
 *
 * CRC-32 finds every change of up to 32 bits in a row, and misses one of 4 billion others. SHA-256 takes four times as long.
 */
export function checksumOf(columns: readonly unknown[]): number {
  const head = JSON.stringify(columns.slice(0, -1).map(String));
  return crc32(String(columns.at(-1)), crc32(head));
}
