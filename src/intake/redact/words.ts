/**
 * Tells quickly which words a text cannot contain. Most finders search for secrets that contain one of a few words, and
 * most texts contain none of these words. So the text is read once, and most finders need not search it.
 */
import type { Finder } from './scan.ts';

/**
 * The index has one bit per group of three characters, of which the lowest five bits each count. These bits are the same
 * for upper and lower case. Other characters can share the bits of a letter, so a bit proves nothing, but a missing bit
 * proves that the three characters do not occur.
 */
const bits = new Uint32Array(1024);
let indexed = '';

function index(text: string): void {
  if (text === indexed) return;
  bits.fill(0);
  indexed = text;
  let group = 0;
  for (let at = 0; at < text.length; at++) {
    group = ((group << 5) | (text.charCodeAt(at) & 31)) & 0x7fff;
    bits[group >> 5] = (bits[group >> 5] as number) | (1 << (group & 31));
  }
}

/** Returns the numbers of the bits that a text with the word has. */
function groupsOf(word: string): Uint16Array {
  if (word.length < 3) throw new Error(`expected a word of at least three characters, got ${JSON.stringify(word)}`);
  const group = (at: number): number => word.charCodeAt(at) & 31;
  return Uint16Array.from({ length: word.length - 2 }, (_, at) => {
    return (group(at) << 10) | (group(at + 1) << 5) | group(at + 2);
  });
}

function mayContain(groups: Uint16Array): boolean {
  for (let i = 0; i < groups.length; i++) {
    const group = groups[i] as number;
    if (((bits[group >> 5] as number) & (1 << (group & 31))) === 0) return false;
  }
  return true;
}

/**
 * Makes a finder that searches only the texts which may contain one of the words, in upper or lower case.
 * @param words every match of the finder contains one of them, or has one of them before or after it
 */
export function withWords(words: readonly string[], find: Finder): Finder {
  const all = words.map(groupsOf);
  return (text) => {
    index(text);
    for (const groups of all) if (mayContain(groups)) return find(text);
    return noSpans;
  };
}

const noSpans: ReturnType<Finder> = [];

/** Matches a part of a pattern: a plain character, a class of a few plain characters, or a group of alternatives. */
const part = /\\?([.:/])|([\w~-])|\[([A-Za-z0-9]{1,8})\]|\(\?:([^()]*)\)/y;

/**
 * Returns words of which each match of a pattern contains one. They come from the plain characters, the small classes
 * and the groups at the beginning of the pattern. Example: `gh[op]_[A-Za-z0-9]{16}` gives `gho_` and `ghp_`.
 * @throws if a word would be shorter than three characters
 */
export function wordsIn(pattern: string): string[] {
  let words = [''];
  for (part.lastIndex = 0; ; ) {
    const [, sign, letter, set, group] = part.exec(pattern) ?? [];
    const endings = sign || letter ? [sign ?? letter] : set ? [...set] : group?.split('|');
    if (!endings || /^[?*+{]/.test(pattern.slice(part.lastIndex))) break;
    // An alternative such as `A3T[A-Z]` counts up to its first class, and the characters after it do not count.
    const plain = endings.map((ending) => (/^[\w.:/~-]*/.exec(ending as string) as RegExpExecArray)[0]);
    words = words.flatMap((word) => plain.map((ending) => word + ending));
    if (plain.join() !== endings.join()) break;
  }
  if (words.some((word) => word.length < 3)) throw new Error(`expected a pattern that begins with a word: ${pattern}`);
  return words;
}
