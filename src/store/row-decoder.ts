/**
 * Decodes rows of the tables that a draft reads by the thousand: the same values that msgpackr, which wrote them, reads out of
 * the bytes, in two thirds of the time and with less garbage. Rows of a table have the same few sequences of keys; each is learnt once,
 * and a record of it then made in one go instead of key by key. Whatever is not plain is left to msgpackr.
 */

import { RecurringTexts, type RowBytes, recurs } from './recurring-texts.ts';

/** Decodes a row whose length is given, or that of its buffer. */
export type Decode = (bytes: RowBytes, options?: number | object) => unknown;

/** A key in a sequence of keys, after those that lead to it; what follows the last one makes the record. */
interface Place {
  /** The key as it is written, its length first. */
  readonly bytes: Uint8Array;
  readonly length: number;
  /** The same four bytes at a time, the last four overlapping. */
  readonly words: readonly number[];
  readonly names: readonly string[];
  readonly next: Place[];
  make: ((values: readonly unknown[]) => object) | undefined;
}

/** More sequences than this are none of ours, and are not worth their memory. */
const mostPlaces = 1_000;
/** Thrown where msgpackr has to look. */
const foreign = new Error('not a plain row');
/** Of all tables of the thread: a commit's hash stands in five of their rows. */
const recurring = new RecurringTexts();

/** A decoder of one table. `fallback` reads what is not plain, and fails where the bytes are damaged. */
export function createRowDecoder(fallback: Decode): Decode {
  let reader: RowReader | undefined;
  return (bytes, options) => {
    const end = typeof options === 'number' ? options : bytes.length;
    // A row of many kilobytes comes as a view of the file, which has no strings.
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

  /** The row, or `foreign`. */
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

  /** Reads keys and values one after the other; the record is made of all at once. */
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

  /** The place of the key that stands here, after those of `place`. */
  private next(place: Place): Place {
    const { next } = place;
    for (let index = 0; index < next.length; index += 1) {
      const known = next[index] as Place;
      if (!this.standsHere(known)) continue;
      this.at += known.length;
      return known;
    }
    return this.learn(place);
  }

  private standsHere({ bytes, length, words }: Place): boolean {
    const { view, at } = this;
    if (length < 4) return startsWith(this.bytes, at, bytes);
    const last = words.length - 1;
    for (let index = 0; index < last; index += 1) if (view.getInt32(at + index * 4) !== words[index]) return false;
    return view.getInt32(at + length - 4) === words[last];
  }

  private learn(place: Place): Place {
    const { bytes, at } = this;
    const length = (bytes[at] as number) - 0xa0;
    if (length < 0 || length > 31 || this.places >= mostPlaces) this.leave();
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

/** A function with the literal of a record in it: V8 gives what it makes a fixed layout, where keys set one by one cost several. */
function createMaker(names: readonly string[]): (values: readonly unknown[]) => object {
  const fields = names.map((name, index) => `${JSON.stringify(name)}: values[${index}]`);
  return new Function('values', `return { ${fields.join(', ')} };`) as ReturnType<typeof createMaker>;
}

function startsWith(bytes: Uint8Array, at: number, wanted: Uint8Array): boolean {
  for (let index = 0; index < wanted.length; index += 1) if (bytes[at + index] !== wanted[index]) return false;
  return true;
}
