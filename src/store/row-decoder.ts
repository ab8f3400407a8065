/**
 * Decodes rows and journal messages. A single draft can read thousands of rows, and the fold reads several rows per
 * event. msgpackr wrote the rows, and this decoder returns the same values as msgpackr. This decoder takes two thirds of
 * msgpackr's time and leaves less garbage.
 *
 * The rows of a table share a few sequences of keys, such as `number, title, author`. The decoder stores each sequence
 * when the sequence first occurs. After that, a record with this sequence is created in one step instead of key by key.
 * A row is called plain if this file knows the types of all its values. Rows that are not plain are decoded by
 * msgpackr.
 */

import { RecurringTexts, type RowBytes, recurs } from './recurring-texts.ts';

/** Decodes a row. If `options` is a number, it is the length of the row. Otherwise the row fills the whole buffer. */
export type Decode = (bytes: RowBytes, options?: number | object) => unknown;

/**
 * A node in the tree of known key sequences. Each node contains one key. `next` contains the nodes of the keys that can
 * follow. The path from the root to this node is the sequence so far. The last node of a sequence creates the record
 * with `make`.
 */
interface Place {
  /** The encoded key, which begins with its length. */
  readonly bytes: Uint8Array;
  readonly length: number;
  /**
   * The same bytes as 32-bit words. If the length is not a multiple of four, the last word overlaps the word before it.
   */
  readonly words: readonly number[];
  readonly names: readonly string[];
  readonly next: Place[];
  make: ((values: readonly unknown[]) => object) | undefined;
}

/**
 * Maximum number of nodes in the tree of one table. The rows of this service need fewer nodes. The maximum bounds the
 * memory in case rows need more nodes.
 */
const maxPlaces = 1_000;
/** Thrown inside the decoder when a row is not plain. msgpackr then decodes the row. */
const foreign = new Error('not a plain row');
/**
 * The texts that recur. All tables of the thread share these texts, because the same commit hash is in rows of five
 * tables.
 */
const recurring = new RecurringTexts();

/**
 * Creates a decoder for one table. `fallback` decodes the rows that this decoder cannot decode, and throws if the bytes
 * are damaged.
 */
export function createRowDecoder(fallback: Decode): Decode {
  let reader: RowReader | undefined;
  return (bytes, options) => {
    const end = typeof options === 'number' ? options : bytes.length;
    // lmdb passes a row of many kilobytes as a view of the file, not as a `Buffer`. The view has no string methods, so
    // `fallback` decodes the row.
    reader ??= new RowReader();
    const row = Buffer.isBuffer(bytes) ? reader.read(bytes, end) : foreign;
    return row === foreign ? fallback(bytes, options) : row;
  };
}

class RowReader {
  private bytes = Buffer.alloc(0) as RowBytes;
  private view: DataView = new DataView(new ArrayBuffer(0));
  private at = 0;
  private end = 0;
  private places = 0;
  private readonly root = createPlace(new Uint8Array(), []);

  /** Returns the decoded row, or `foreign` if msgpackr must decode the row. */
  read(bytes: RowBytes, end: number): unknown {
    if (bytes !== this.bytes) {
      this.bytes = bytes;
      this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    }
    this.at = 0;
    this.end = end;
    try {
      const value = this.value();
      return this.at === end ? value : foreign;
    } catch (error) {
      if (error === foreign || error instanceof RangeError) return foreign;
      throw error;
    }
  }

  private value(): unknown {
    const token = this.bytes[this.at++] as number;
    if (token < 0x80) return token;
    if (token < 0x90) return this.record(token - 0x80);
    if (token < 0xa0) return this.array(token - 0x90);
    if (token < 0xc0) return this.string(token - 0xa0);
    if (token >= 0xe0) return token - 0x100;
    return this.longer(token);
  }

  private longer(token: number): unknown {
    const { view, at } = this;
    switch (token) {
      case 0xc0:
        return null;
      case 0xc2:
        return false;
      case 0xc3:
        return true;
      case 0xcb:
        this.at += 8;
        return view.getFloat64(at);
      case 0xcc:
        this.at += 1;
        return view.getUint8(at);
      case 0xcd:
        this.at += 2;
        return view.getUint16(at);
      case 0xce:
        this.at += 4;
        return view.getUint32(at);
      case 0xd9:
        this.at += 1;
        return this.string(view.getUint8(at));
      case 0xda:
        this.at += 2;
        return this.string(view.getUint16(at));
      case 0xdb:
        this.at += 4;
        return this.string(view.getUint32(at));
      case 0xdc:
        this.at += 2;
        return this.array(view.getUint16(at));
      case 0xdd:
        this.at += 4;
        return this.array(view.getUint32(at));
      case 0xde:
        this.at += 2;
        return this.record(view.getUint16(at));
      default:
        return this.leave();
    }
  }

  private array(length: number): unknown[] {
    if (length > this.end - this.at) this.leave();
    const items: unknown[] = new Array(length);
    for (let index = 0; index < length; index += 1) items[index] = this.value();
    return items;
  }

  /** Decodes a record: reads all keys and values first, then creates the object in one step. */
  private record(length: number): object {
    if (length > this.end - this.at) this.leave();
    const values: unknown[] = new Array(length);
    let place = this.root;
    for (let index = 0; index < length; index += 1) {
      place = this.next(place);
      values[index] = this.value();
    }
    place.make ??= createMaker(place.names);
    return place.make(values);
  }

  /** Reads the key at the current offset and returns its node, which is one of the nodes that follow `place`. */
  private next(place: Place): Place {
    const { next } = place;
    for (let index = 0; index < next.length; index += 1) {
      const known = next[index] as Place;
      if (!this.matchesHere(known)) continue;
      this.at += known.length;
      return known;
    }
    return this.learn(place);
  }

  private matchesHere({ bytes, length, words }: Place): boolean {
    const { view, at } = this;
    if (length < 4) return startsWith(this.bytes, at, bytes);
    const last = words.length - 1;
    for (let index = 0; index < last; index += 1) if (view.getInt32(at + index * 4) !== words[index]) return false;
    return view.getInt32(at + length - 4) === words[last];
  }

  private learn(place: Place): Place {
    const { bytes, at } = this;
    const length = (bytes[at] as number) - 0xa0;
    if (length < 0 || length > 31 || this.places >= maxPlaces) this.leave();
    const end = at + 1 + length;
    const key = bytes.utf8Slice(at + 1, end);
    if (key.length !== length || key === '__proto__') this.leave();
    const learnt = createPlace(Uint8Array.prototype.slice.call(bytes, at, end), [...place.names, key]);
    place.next.push(learnt);
    this.places += 1;
    this.at = end;
    return learnt;
  }

  private string(length: number): string {
    const { bytes, at } = this;
    const end = at + length;
    if (end > this.end) this.leave();
    this.at = end;
    return recurs(length) ? recurring.read(bytes, this.view, at, length) : bytes.utf8Slice(at, end);
  }

  private leave(): never {
    throw foreign;
  }
}

function createPlace(bytes: Uint8Array, names: readonly string[]): Place {
  return { bytes, length: bytes.length, words: wordsOf(bytes), names, next: [], make: undefined };
}

function wordsOf(bytes: Uint8Array): number[] {
  const { buffer, byteOffset, length } = bytes;
  if (length < 4) return [];
  const view = new DataView(buffer, byteOffset, length);
  const words = Array.from({ length: Math.floor((length - 1) / 4) }, (_, index) => view.getInt32(index * 4));
  return [...words, view.getInt32(length - 4)];
}

/**
 * Returns a function that creates a record from its values with one object literal. V8 gives all objects of one literal
 * the same layout. If the keys were set one by one, V8 would create several layouts.
 */
function createMaker(names: readonly string[]): (values: readonly unknown[]) => object {
  const fields = names.map((name, index) => `${JSON.stringify(name)}: values[${index}]`);
  return new Function('values', `return { ${fields.join(', ')} };`) as ReturnType<typeof createMaker>;
}

function startsWith(bytes: Uint8Array, at: number, wanted: Uint8Array): boolean {
  for (let index = 0; index < wanted.length; index += 1) if (bytes[at + index] !== wanted[index]) return false;
  return true;
}
