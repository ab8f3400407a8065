/**
 * What the finders of redaction share: spans, character classes and moves over them.
 * Texts are hostile, so everything here is a single step or a walk that its caller never repeats over the same
 * characters; regular expressions elsewhere in the folder have bounded repeats only.
 */

/** The words that stand for what was taken out. */
export type Placeholder = '[attachment]' | '[card]' | '[email]' | '[ip]' | '[phone]' | '[secret]';

/** A part of a text, `end` exclusive, and the word that replaces it. */
export interface Span {
  start: number;
  end: number;
  word: Placeholder;
}

/** Finds one kind of thing; the spans are in order and apart. */
export type Finder = (text: string) => Span[];

/** A set of UTF-16 units: a table for ASCII, one answer for all units from U+00C0 on that are no punctuation. */
export interface CharClass {
  ascii: Uint8Array;
  letters: boolean;
}

/** The class of the units that `pattern` matches in ASCII; `letters` adds those of other scripts. */
export function charClass(pattern: RegExp, letters = false): CharClass {
  const ascii = Uint8Array.from({ length: 128 }, (_, code) => (pattern.test(String.fromCharCode(code)) ? 1 : 0));
  return { ascii, letters };
}

export const alphanumeric = charClass(/[A-Za-z0-9]/);
export const wordChars = charClass(/\w/);
export const digits = charClass(/\d/);

/** Whether the unit at `at` is in the class; false outside the text. */
export function isIn(kind: CharClass, text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code < 128) return kind.ascii[code] === 1;
  return kind.letters && isForeignLetter(code);
}

function isForeignLetter(code: number): boolean {
  // Not a number outside the text, which this comparison turns away too.
  if (!(code >= 0xc0) || code === 0xd7 || code === 0xf7) return false;
  if ((code >= 0x2000 && code <= 0x2bff) || (code >= 0x3000 && code <= 0x303f)) return false;
  // The wide `@` parts an address: taken for a letter, each of a run of them would walk to its end.
  return !(code >= 0xff00 && code <= 0xff0f) && code !== 0xff20;
}

/** The end of the run of class members that begins at `at`. */
export function runEnd(kind: CharClass, text: string, at: number): number {
  let end = at;
  while (isIn(kind, text, end)) end += 1;
  return end;
}

/** The start of the run of class members that ends before `at`, not below `floor`. */
export function runStart(kind: CharClass, text: string, at: number, floor = 0): number {
  let start = at;
  while (start > floor && isIn(kind, text, start - 1)) start -= 1;
  return start;
}

/**
 * Whether `least` members of a class stand in a row anywhere. Most texts are prose, and are told by a look at every `least`th
 * unit and the words around it.
 */
export function hasRun(kind: CharClass, text: string, least: number): boolean {
  for (let at = least - 1; at < text.length; at += least) {
    if (!isIn(kind, text, at)) continue;
    const start = runStart(kind, text, at, at - least + 1);
    if (runEnd(kind, text, at) - start >= least) return true;
  }
  return false;
}

/**
 * Whether a word can begin at `at`: letters of scripts without spaces part words, and so does a `\n` written as two
 * characters, as in quoted JSON.
 */
export function startsWord(text: string, at: number): boolean {
  if (!isIn(wordChars, text, at - 1)) return true;
  return text[at - 2] === '\\' && 'nrt'.includes(text[at - 1] as string);
}

/** Two lists of spans in order as one; of two that overlap the one of the first list stays. */
function joinSpans(first: readonly Span[], second: readonly Span[]): Span[] {
  const joined: Span[] = [];
  let next = 0;
  for (const span of second) {
    if (span.start < (joined.at(-1)?.end ?? 0)) continue;
    while (next < first.length && (first[next] as Span).end <= span.start) joined.push(first[next++] as Span);
    if (next === first.length || (first[next] as Span).start >= span.end) joined.push(span);
  }
  return [...joined, ...first.slice(next)];
}

/** What finders find in a reading of a text, by its place in the text itself; of overlapping finds the earlier finder's stays. */
export function findIn(reading: string, finders: readonly Finder[], place: (span: Span) => Span | undefined): Span[] {
  return finders.reduce<Span[]>((found, finder) => {
    const there = finder(reading).map(place);
    return joinSpans(
      found,
      there.filter((span) => span !== undefined),
    );
  }, []);
}

/** The text with each span's part replaced. */
export function replaceSpans(text: string, spans: readonly Span[]): string {
  if (spans.length === 0) return text;
  const parts: string[] = [];
  let from = 0;
  for (const { start, end, word } of spans) {
    parts.push(text.slice(from, start), word);
    from = end;
  }
  parts.push(text.slice(from));
  return parts.join('');
}
