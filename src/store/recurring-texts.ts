/**
 * A cache of texts that occur in many rows, such as commit hashes, states, branches and logins. Finding a text in the
 * cache takes a quarter of the time of decoding the text. Equal texts also share one string object, so looking up a
 * commit hash in a map is faster. The memory of the cache is bounded.
 */

/**
 * The buffer that lmdb reads rows into. Node's types lack the fast method to decode a string, so it is declared here.
 */
export interface RowBytes extends Buffer {
  utf8Slice(start: number, end: number): string;
}

const shortest = 4;
const maxWordLength = 16;
const hashLength = 40;
const wordsPerSlot = hashLength / 4;
const slotBits = 12;

/** Whether a text of this length (in bytes) probably recurs, because it is a hash or a short word. */
export function recurs(length: number): boolean {
  return length === hashLength || (length >= shortest && length <= maxWordLength);
}

export class RecurringTexts {
  private readonly texts: string[] = new Array(2 ** slotBits).fill('');
  private readonly lengths = new Uint8Array(2 ** slotBits);
  /**
   * The bytes of each text as 32-bit words. If the length is not a multiple of four, the last word overlaps the word
   * before it.
   */
  private readonly words = new Int32Array(2 ** slotBits * wordsPerSlot);

  /**
   * Returns the text of `length` bytes at offset `at`. `recurs(length)` must be true, and `view` must be a view of the
   * same bytes as `bytes`.
   */
  read(bytes: RowBytes, view: DataView, at: number, length: number): string {
    const last = at + length - 4;
    const slot = slotOf(view.getInt32(at), view.getInt32(last), length);
    if (this.lengths[slot] === length && this.matchesAt(view, at, last, slot)) return this.texts[slot] as string;
    const text = bytes.utf8Slice(at, at + length);
    this.keep(view, at, last, slot);
    this.lengths[slot] = length;
    this.texts[slot] = text;
    return text;
  }

  private matchesAt(view: DataView, at: number, last: number, slot: number): boolean {
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

/**
 * Returns the slot of a text. The slot is a hash of the text's length, its first four bytes and its last four bytes.
 * The lengths and these bytes usually differ between recurring texts.
 */
function slotOf(first: number, last: number, length: number): number {
  const mixed = Math.imul(Math.imul(first, 0x9e3779b1) ^ last ^ length, 0x85ebca6b);
  return mixed >>> (32 - slotBits);
}
