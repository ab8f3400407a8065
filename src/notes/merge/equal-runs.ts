/**
 * Shortens three drafts before a merge, by removing entries that are equal in all three. A run is a series of
 * consecutive entries that is the same in all three drafts. The first two entries and the last entry of each run stay.
 * The entries between them are put back after the second entry when the merge is done. Shortening saves time, because a
 * person usually changes a few entries out of thousands, and a fold waits for the merge.
 *
 * Long stretches of text are compared in one step. Comparing line by line took twice the time in a warm process and
 * three times in a cold one. A table of all lines took as long as comparing line by line.
 */

import { markedIn } from '../../foundation/markers.ts';

/**
 * Three drafts from which the middle of each run was removed. `runs` contains the removed parts. The key of a removed
 * part is the line before this part.
 */
export interface Shortened {
  drafts: [base: string, mine: string, next: string];
  runs: ReadonlyMap<string, string>;
}

/**
 * Whole lines that the base and another draft share: the offset in the base (`at`), the offset in the other draft
 * (`there`), and the length.
 */
interface Stretch {
  at: number;
  there: number;
  length: number;
}

/**
 * The middle of a run (`text`), the entry before the middle (`before`), and the offset of the middle in each of the
 * three drafts (`starts`). The middle consists of the entries that are removed from the drafts.
 */
interface Middle {
  before: string;
  starts: [base: number, mine: number, next: number];
  text: string;
}

/**
 * The drafts are merged whole if a draft has more common stretches than `maxStretches`, or if the person has more
 * entries of their own than `maxOwn`.
 */
const maxStretches = 100;
const maxOwn = 200;
/** How many lines to search ahead for the next common entry. The smaller number is tried first, then the larger. */
const lookAhead = [32, 2_000];

/** Shortens drafts that have `\n` as line ends. Each entry of a run is a single line with a marker. */
export function shorten(base: string, mine: string, next: string): Shortened {
  const inMine = stretches(base, mine);
  const inNext = stretches(base, next);
  const own = markersBeside(mine, inMine);
  if (Math.max(inMine.length, inNext.length) === maxStretches || own.length > maxOwn) return whole(base, mine, next);
  const all: Middle[] = [];
  for (const one of inMine) {
    for (const other of inNext) {
      const start = Math.max(one.at, other.at);
      const end = Math.min(one.at + one.length, other.at + other.length);
      const places = { mine: one.there - one.at, next: other.there - other.at };
      if (start < end) all.push(...middlesIn(base, start, end, places));
    }
  }
  // An entry that the person duplicated or moved must stay in the shortened drafts.
  const moved = new Set(own);
  const middles = all.filter(({ text }) => !markedIn(text).some((marker) => moved.has(marker)));
  const without = (draft: string, which: 0 | 1 | 2): string => {
    let kept = '';
    let from = 0;
    for (const { starts, text } of middles) {
      kept += draft.slice(from, starts[which]);
      from = starts[which] + text.length;
    }
    return kept + draft.slice(from);
  };
  const runs = new Map(middles.map(({ before, text }) => [before, text.slice(0, -1)]));
  if (runs.size < middles.length) return whole(base, mine, next);
  return { drafts: [without(base, 0), without(mine, 1), without(next, 2)], runs };
}

function whole(...drafts: Shortened['drafts']): Shortened {
  return { drafts, runs: new Map() };
}

/** Returns the markers in the parts of a draft that are not shared with the base. */
function markersBeside(draft: string, shared: readonly Stretch[]): string[] {
  const found: string[] = [];
  let from = 0;
  for (const { there, length } of [...shared, { there: draft.length, length: 0 }]) {
    for (const marker of markedIn(draft.slice(from, there))) found.push(marker);
    from = there + length;
  }
  return found;
}

/**
 * Returns the merged draft with all removed parts put back. Returns undefined if the entry before a removed part does
 * not occur exactly once.
 */
export function restore(merged: string, { runs }: Shortened): string | undefined {
  const lines: string[] = [];
  let restored = 0;
  for (const line of merged.split('\n')) {
    lines.push(line);
    const middle = runs.get(line);
    if (middle === undefined) continue;
    restored += 1;
    lines.push(middle);
  }
  return restored === runs.size ? lines.join('\n') : undefined;
}

function stretches(base: string, other: string): Stretch[] {
  const found: Stretch[] = [];
  let place: [number, number] | undefined = [0, 0];
  while (place && found.length < maxStretches) {
    const [at, there]: [number, number] = place;
    const length = base.lastIndexOf('\n', at + commonLength(base, at, other, there) - 1) + 1 - at;
    if (length > 0) found.push({ at, there, length });
    place = nextCommon(base, at + Math.max(length, 0), other, there + Math.max(length, 0));
  }
  return found;
}

/**
 * Returns how many characters of two texts are equal, from the given offsets up to the first difference. The function
 * compares pieces, and doubles their size until two pieces differ. Then it halves the size to find the exact length.
 */
function commonLength(base: string, at: number, other: string, there: number): number {
  const max = Math.min(base.length - at, other.length - there);
  let known = 0;
  const isSame = (size: number): boolean =>
    known + size <= max &&
    base.slice(at + known, at + known + size) === other.slice(there + known, there + known + size);
  let size = 256;
  for (; isSame(size); size *= 2) known += size;
  for (; size >= 1; size = Math.floor(size / 2)) if (isSame(size)) known += size;
  return known;
}

/** Returns the offsets of the nearest entry ahead that both drafts have. */
function nextCommon(base: string, at: number, other: string, there: number): [number, number] | undefined {
  for (const max of lookAhead) {
    const ahead = new Map(entriesFrom(other, there, max).map(([line, place]) => [line, place]));
    for (const [line, place] of entriesFrom(base, at, max)) {
      const found = ahead.get(line);
      if (found !== undefined) return [place, found];
    }
  }
  return undefined;
}

/** Returns the entries among the next lines, each with its offset. */
function entriesFrom(text: string, from: number, max: number): [string, number][] {
  const found: [string, number][] = [];
  let start = from;
  for (let count = 0; count < max && start < text.length; count += 1) {
    const end = text.indexOf('\n', start);
    if (end === -1) break;
    const line = text.slice(start, end);
    if (line.startsWith('- ') && line.endsWith(' -->')) found.push([line, start]);
    start = end + 1;
  }
  return found;
}

/** Finds the runs between two offsets of the base, and returns the middle part of each run. */
function middlesIn(base: string, from: number, to: number, places: { mine: number; next: number }): Middle[] {
  const found: Middle[] = [];
  const shared = base.slice(from, to);
  const noEntry = /\n(?!- )/g;
  let start = shared.startsWith('- ') ? 0 : shared.indexOf('\n- ') + 1;
  while (start > 0 || shared.startsWith('- ', start)) {
    noEntry.lastIndex = start;
    const end = (noEntry.exec(shared)?.index ?? shared.length - 1) + 1;
    const second = shared.indexOf('\n', start) + 1;
    const third = shared.indexOf('\n', second) + 1;
    const last = shared.lastIndexOf('\n', end - 2) + 1;
    // Only lines with markers are entries. A list without markers, such as a list of people, is prose and is not
    // shortened.
    if (last > third && third > second && second > 0 && isEntries(shared.slice(start, end))) {
      const at = from + third;
      const starts: Middle['starts'] = [at, at + places.mine, at + places.next];
      found.push({ before: shared.slice(second, third - 1), starts, text: shared.slice(third, last) });
    }
    const next = shared.indexOf('\n- ', end - 1);
    if (next === -1) break;
    start = next + 1;
  }
  return found;
}

function isEntries(lines: string): boolean {
  return lines.split('\n').length === lines.split(' -->\n').length;
}
