/**
 * Encodes the keys of tables. The render of a single draft reads thousands of rows, and the fold reads and writes several
 * rows per event. This encoder writes the same bytes as lmdb's own encoder, in a third of the time.
 *
 * A key is a text, or a list that usually begins with a repository id. The id is often the same as in the previous key.
 * Keys and parts of keys that are not plain text are encoded by lmdb.
 */

/** Writes a key into `target` at an offset. Returns the offset after the key. */
export type WriteKey = (key: unknown, target: KeyBytes, at: number, inSequence?: boolean) => number;

/** A buffer with `latin1Write`, Node's fast method to write a string. Node's types do not contain this method. */
interface KeyBytes extends Buffer {
  latin1Write(text: string, at: number): number;
}

const separator = 0;
/**
 * Number of zero bytes that follow each key. lmdb needs these bytes, because it compares keys in whole words. The zero
 * bytes are not part of the key.
 */
const terminatorLength = 4;
/** Matches plain text: printable ASCII. The bytes of plain text do not change when a key is encoded. */
const plain = /^[ -~]+$/;

/** Creates an encoder for one table. `fallback` encodes keys and parts that are not plain text. */
export function createKeyWriter(fallback: WriteKey): WriteKey {
  let repository: string | undefined;
  let prefix: Buffer | undefined;

  const writeFirst: WriteKey = (part, target, at) => {
    if (part !== repository) {
      if (typeof part !== 'string' || !plain.test(part)) return fallback(part, target, at, true);
      prefix = undefined;
      repository = part;
      return at + target.latin1Write(part, at);
    }
    prefix ??= Buffer.from(part as string);
    target.set(prefix, at);
    return at + prefix.length;
  };

  const writePart: WriteKey = (part, target, at) => {
    if (typeof part === 'string' && plain.test(part)) return at + target.latin1Write(part, at);
    return fallback(part, target, at, true);
  };

  return (key, target, at, inSequence) => {
    if (typeof key === 'string' && plain.test(key)) return terminate(target, at + target.latin1Write(key, at));
    if (!Array.isArray(key) || key.length < 2) return fallback(key, target, at, inSequence);
    let end = writeFirst(key[0], target, at);
    for (let index = 1; index < key.length; index += 1) {
      target[end] = separator;
      end = writePart(key[index], target, end + 1);
    }
    return terminate(target, end);
  };
}

function terminate(target: KeyBytes, end: number): number {
  for (let index = end; index < end + terminatorLength; index += 1) target[index] = 0;
  return end;
}
