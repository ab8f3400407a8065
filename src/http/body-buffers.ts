/**
 * Lends buffers for request bodies that arrive in several pieces. Buffers that are used again cost no allocation and no
 * garbage collection.
 */

/** Size of a lent buffer in bytes. Deliveries of hosts have about 25 KB. */
export const lentBytes = 65_536;

/** Maximum number of unused buffers that are kept, 4 MiB in all. */
const maxIdle = 64;

const idle: Buffer[] = [];

/** Returns a buffer of `lentBytes` bytes with any content. */
export function lendBuffer(): Buffer {
  return idle.pop() ?? Buffer.allocUnsafeSlow(lentBytes);
}

/** Takes a buffer back. The caller must not use it afterwards. */
export function returnBuffer(buffer: Buffer): void {
  if (buffer.length === lentBytes && idle.length < maxIdle) idle.push(buffer);
}
