/**
 * Collects packed records in the format of a journal message: an array header, followed by the records.
 *
 * A batch writes to a buffer that an earlier batch has used. A new buffer per batch would live longer than the garbage
 * collections of young objects, and such buffers make full collections frequent (`docs/performance.md`).
 */

/** Size of the array header of MessagePack that counts in 32 bits. */
const headerBytes = 5;

/** Size of a new buffer in bytes. A batch doubles its buffer when it is full. */
const newBufferBytes = 1024;

/** Maximum size of all buffers that are kept for later batches, in bytes. */
const keptBytes = 8_388_608;

const kept: Buffer[] = [];
let freeBytes = keptBytes;

export class Batch {
  private buffer = takeBuffer();
  private start = headerBytes;
  private end = headerBytes;
  private records = 0;

  /** Size of the records in bytes. */
  get bytes(): number {
    return this.end - this.start;
  }

  /** Appends a copy of a packed record. */
  add(record: Uint8Array): void {
    const end = this.end + record.length;
    if (end > this.buffer.length) this.grow(end);
    this.buffer.set(record, this.end);
    this.end = end;
    this.records += 1;
  }

  /** Removes the first record, which has `bytes` bytes. */
  removeFirst(bytes: number): void {
    this.start += bytes;
    this.records -= 1;
  }

  /**
   * Returns the journal message that contains the records.
   * @returns a part of the buffer, which the next `add` and `release` make invalid
   */
  message(): Uint8Array {
    // The header ends where the first record begins, so it may overwrite a record that was removed.
    const first = this.start - headerBytes;
    this.buffer[first] = 0xdd;
    this.buffer.writeUInt32BE(this.records, first + 1);
    return this.buffer.subarray(first, this.end);
  }

  /** Gives the buffer to a later batch. The caller must not use the batch or its message afterwards. */
  release(): void {
    if (this.buffer.length > freeBytes) return;
    kept.push(this.buffer);
    freeBytes -= this.buffer.length;
  }

  private grow(needed: number): void {
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.buffer.length));
    this.buffer.copy(grown, 0, 0, this.end);
    this.buffer = grown;
  }
}

function takeBuffer(): Buffer {
  const buffer = kept.pop();
  if (!buffer) return Buffer.allocUnsafeSlow(newBufferBytes);
  freeBytes += buffer.length;
  return buffer;
}
