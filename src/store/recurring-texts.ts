/**
 * Keeps the texts that recur from row to row, such as hashes of commits, states, branches and logins: to know one again takes a
 * quarter of the time of making it anew, and a hash that is one string everywhere is found sooner in a map. Takes bounded memory.
 */

/** The buffer that lmdb reads rows into, with the quick way to a string that the types of Node leave out. */
export interface RowBytes extends Buffer {
  utf8Slice(start: number, end: number): string;
}

const shortest = 4;
const longestWord = 16;
const hashLength = 40;
const wordsPerSlot = hashLength / 4;
const slotBits = 12;

/** Whether a text of so many bytes is likely one that recurs: a hash or a short word. */
export function recurs(length: number): boolean {
  return length === hashLength || (length >= shortest && length <= longestWord);
}

export class RecurringTexts {
  private readonly texts: string[] = new Array(2 ** slotBits).fill('');
  private readonly lengths = new Uint8Array(2 ** slotBits);
  /** The bytes of each, four at a time, the last four overlapping. */
  private readonly words = new Int32Array(2 ** slotBits * wordsPerSlot);

  /** The text of the bytes at `at`, for whose length `recurs` holds; `view` shows the same bytes. */
  read(bytes: RowBytes, view: DataView, at: number, length: number): string {
    const last = at + length - 4;
    const slot = slotOf(view.getInt32(at), view.getInt32(last), length);
    if (this.lengths[slot] === length && this.standsAt(view, at, last, slot)) return this.texts[slot] as string;
    const text = bytes.utf8Slice(at, at + length);
    this.keep(view, at, last, slot);
    this.lengths[slot] = length;
    this.texts[slot] = text;
    return text;
  }

  private standsAt(view: DataView, at: number, last: number, slot: number): boolean {
    const { words } = this;
    let word = slot * wordsPerSlot;
    for (let from = at; from < last; from += 4, word += 1) if (words[word] !== view.getInt32(from)) return false;
    return words[word] === view.getInt32(last);
  }

  private keep(view: DataView, at: number, last: number, slot: number): void {
    const { words } = this;
    let word = slot * wordsPerSlot;
    for (let from = at; from < last; from += 4, word += 1) words[word] = view.getInt32(from);
    words[word] = view.getInt32(last);
  }
}

/** Mixes the ends of a text: what recurs differs there. */
function slotOf(first: number, last: number, length: number): number {
  const mixed = Math.imul(Math.imul(first, 0x9e3779b1) ^ last ^ length, 0x85ebca6b);
  return mixed >>> (32 - slotBits);
}
