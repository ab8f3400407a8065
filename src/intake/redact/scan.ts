/**
 * Provides the basics that all finders use: spans, character classes, and searches for runs of characters. Texts may be
 * hostile, so the search time must stay linear in the length of the text. For this reason, a finder runs the same
 * search at most once over the same characters. In the rest of this folder, regular expressions that search a whole
 * text have bounded repeats only.
 */

/** The texts that replace secrets and personal data. */
export type Placeholder = '[attachment]' | '[card]' | '[email]' | '[ip]' | '[phone]' | '[secret]';

/** A part of a text and the word that replaces the part. `end` is exclusive. */
export interface Span {
  start: number;
  end: number;
  word: Placeholder;
}

/** Finds one kind of secret or personal data. Its spans are in order and do not overlap. */
export type Finder = (text: string) => Span[];

/**
 * A set of UTF-16 units. `ascii` is a table of the ASCII units. If `letters` is true, the set also contains all units
 * from U+00C0 on, except punctuation.
 */
export interface CharClass {
  ascii: Uint8Array;
  letters: boolean;
}

/**
 * Makes a class of the ASCII units that `pattern` matches. If `letters` is true, the class also contains the letters of
 * other scripts.
 */
export function charClass(pattern: RegExp, letters = false): CharClass {
  const ascii = Uint8Array.from({ length: 128 }, (_, code) => (pattern.test(String.fromCharCode(code)) ? 1 : 0));
  return { ascii, letters };
}

export const alphanumeric = charClass(/[A-Za-z0-9]/);
export const wordChars = charClass(/\w/);
export const digits = charClass(/\d/);

/** Whether the UTF-16 unit at offset `at` is in the class; false if `at` is outside the text. */
export function isIn(kind: CharClass, text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code < 128) return kind.ascii[code] === 1;
  return kind.letters && isForeignLetter(code);
}

function isForeignLetter(code: number): boolean {
  // Outside the text, `code` is NaN. The negated comparison makes the function return false for NaN too.
  if (!(code >= 0xc0) || code === 0xd7 || code === 0xf7) return false;
  if ((code >= 0x2000 && code <= 0x2bff) || (code >= 0x3000 && code <= 0x303f)) return false;
  // The wide `@` (U+FF20) separates the parts of an address, so it is not a letter. If it were a letter, each `@` in a
  // run of such signs would cause a search to the end of the run.
  return !(code >= 0xff00 && code <= 0xff0f) && code !== 0xff20;
}

/** Returns the end of the run that begins at `at`. The run consists of characters of the class `kind`. */
export function runEnd(kind: CharClass, text: string, at: number): number {
  let end = at;
  while (isIn(kind, text, end)) end += 1;
  return end;
}

/**
 * Returns the start of the run that ends directly before `at`. The run consists of characters of the class `kind`. The
 * result is never smaller than `floor`.
 */
export function runStart(kind: CharClass, text: string, at: number, floor = 0): number {
  let start = at;
  while (start > floor && isIn(kind, text, start - 1)) start -= 1;
  return start;
}

/**
 * Returns the start of the first run that has at least `min` UTF-16 units of a class at or after `from`; -1 if there is
 * none. The function checks only every `min`-th unit and the run around this unit, because every such run contains one
 * of these units. This is fast on prose.
 */
function nextRun(kind: CharClass, text: string, min: number, from: number): number {
  for (let at = from + min - 1; at < text.length; at += min) {
    if (!isIn(kind, text, at)) continue;
    const start = runStart(kind, text, at, at - min + 1);
    if (runEnd(kind, text, at) - start >= min) return start;
  }
  return -1;
}

/** A pattern whose matches lie within runs of at least `min` characters of the class `kind`. */
export interface RunPattern {
  kind: CharClass;
  min: number;
  /** Has the flag `g`. Looks at no more than two characters before a match, and one character after it. */
  pattern: RegExp;
}

/**
 * Searches a text for a pattern. Only the runs that can contain a match are searched: this takes a tenth of the time of
 * a search through the whole text of a usual pull request.
 * @param add called with each match and its offset in the text; returns the offset at which the search continues
 */
export function searchRuns(
  text: string,
  { kind, min, pattern }: RunPattern,
  add: (match: RegExpExecArray, at: number) => number,
): void {
  for (let start = nextRun(kind, text, min, 0); start >= 0; ) {
    const end = runEnd(kind, text, start);
    const from = Math.max(0, start - 2);
    const part = text.slice(from, end + 1);
    let next = start;
    while (next < end) {
      pattern.lastIndex = next - from;
      const match = pattern.exec(part);
      next = match ? add(match, from + match.index) : end;
    }
    start = nextRun(kind, text, min, next);
  }
}

/**
 * Calls `visit` with the offsets at which one of the texts `beginnings` occurs, in ascending order. Searching for a few
 * short texts is faster than a regular expression that is tried at each character.
 * @param visit returns the offset at which the search continues; at least the next character is searched
 */
export function searchAt(text: string, beginnings: readonly string[], visit: (at: number) => number): void {
  const next = beginnings.map((beginning) => text.indexOf(beginning));
  for (let floor = 0; ; ) {
    let first = -1;
    for (let i = 0; i < next.length; i++) {
      let at = next[i] as number;
      if (at >= 0 && at < floor) at = text.indexOf(beginnings[i] as string, floor);
      next[i] = at;
      if (at >= 0 && (first < 0 || at < first)) first = at;
    }
    if (first < 0) return;
    floor = Math.max(first + 1, visit(first));
  }
}

/**
 * Whether a new word can begin at `at`. A word cannot begin directly after an ASCII letter, a digit or `_`. It can
 * begin after a letter of another script, since some scripts have no spaces. It can also begin after a `\n` that is
 * written as two characters, as in quoted JSON.
 */
export function startsWord(text: string, at: number): boolean {
  if (!isIn(wordChars, text, at - 1)) return true;
  return text[at - 2] === '\\' && 'nrt'.includes(text[at - 1] as string);
}

/** Merges two ordered lists of spans. Where two spans overlap, the span of the first list stays. */
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

/**
 * Runs the finders on `reading`, which is a part or a conversion of a text. `place` converts the span of a match in
 * `reading` to a span in the text. Where two matches overlap, the match of the earlier finder stays.
 */
export function findIn(reading: string, finders: readonly Finder[], place: (span: Span) => Span | undefined): Span[] {
  return finders.reduce<Span[]>((found, finder) => {
    const there = finder(reading).map(place);
    return joinSpans(
      found,
      there.filter((span) => span !== undefined),
    );
  }, []);
}

/** Replaces each span of the text by the placeholder of the span. Returns the new text. */
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
