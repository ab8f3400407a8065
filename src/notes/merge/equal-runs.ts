/**
 * Takes out of three drafts what a merge need not look at: of each run of entries that stand alike in all of them, in the same
 * order, the first two and the last stay, and the others come back behind the second when the merge is done. Of thousands of
 * entries a person changes a few, and a fold waits for the merge.
 *
 * Whole stretches of text are compared at once. Going line by line took twice the time in a warm process and three times in a
 * cold one; so did a table of all lines.
 */

/** Three drafts without the middle of their common runs, and what stood there by the entry before it. */
export interface Shortened {
  drafts: [base: string, mine: string, next: string];
  runs: ReadonlyMap<string, string>;
}

/** Whole lines that two drafts share: where they begin in each, and their length. */
interface Stretch {
  at: number;
  there: number;
  length: number;
}

/** The middle of a run, in the base and in both others. */
interface Middle {
  before: string;
  starts: [base: number, mine: number, next: number];
  text: string;
}

/** Where a draft differs in more places, or a person has more entries of their own, it is merged whole. */
const mostStretches = 100;
const mostOwn = 200;
/** How many lines to look ahead for the next common entry, at first and where that is not enough. */
const lookAhead = [32, 2_000];

/** Shortens drafts with `\n` at line ends. Only entries of one line, with their marker, make a run. */
export function shorten(base: string, mine: string, next: string): Shortened {
  const inMine = stretches(base, mine);
  const inNext = stretches(base, next);
  const own = markersBeside(mine, inMine);
  if (Math.max(inMine.length, inNext.length) === mostStretches || own.length > mostOwn) return whole(base, mine, next);
  const all: Middle[] = [];
  for (const one of inMine) {
    for (const other of inNext) {
      const start = Math.max(one.at, other.at);
      const end = Math.min(one.at + one.length, other.at + other.length);
      const places = { mine: one.there - one.at, next: other.there - other.at };
      if (start < end) all.push(...middlesIn(base, start, end, places));
    }
  }
  // An entry that the person has twice, or moved, is looked at whole.
  const moved = new Set(own);
  const middles = all.filter(({ text }) => !markersIn(text).some((marker) => moved.has(marker)));
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

/** Markers in what a draft does not share with the base. */
function markersBeside(draft: string, shared: readonly Stretch[]): string[] {
  const found: string[] = [];
  let from = 0;
  for (const { there, length } of [...shared, { there: draft.length, length: 0 }]) {
    for (const marker of markersIn(draft.slice(from, there))) found.push(marker);
    from = there + length;
  }
  return found;
}

function markersIn(text: string): readonly string[] {
  return text.match(/<!-- rn:\w{1,5}:\d{1,10} -->/g) ?? [];
}

/** A merged draft with all that was left out; undefined where the entries before it do not stand there once each. */
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
  while (place && found.length < mostStretches) {
    const [at, there]: [number, number] = place;
    const length = base.lastIndexOf('\n', at + commonLength(base, at, other, there) - 1) + 1 - at;
    if (length > 0) found.push({ at, there, length });
    place = nextCommon(base, at + Math.max(length, 0), other, there + Math.max(length, 0));
  }
  return found;
}

/** How many characters two texts share from a place on, by stretches that double and then halve. */
function commonLength(base: string, at: number, other: string, there: number): number {
  const most = Math.min(base.length - at, other.length - there);
  let known = 0;
  const isSame = (size: number): boolean =>
    known + size <= most &&
    base.slice(at + known, at + known + size) === other.slice(there + known, there + known + size);
  let size = 256;
  for (; isSame(size); size *= 2) known += size;
  for (; size >= 1; size = Math.floor(size / 2)) if (isSame(size)) known += size;
  return known;
}

/** The nearest entry ahead that both have. */
function nextCommon(base: string, at: number, other: string, there: number): [number, number] | undefined {
  for (const most of lookAhead) {
    const ahead = new Map(entriesFrom(other, there, most).map(([line, place]) => [line, place]));
    for (const [line, place] of entriesFrom(base, at, most)) {
      const found = ahead.get(line);
      if (found !== undefined) return [place, found];
    }
  }
  return undefined;
}

/** Entries among the next lines, each with where it begins. */
function entriesFrom(text: string, from: number, most: number): [string, number][] {
  const found: [string, number][] = [];
  let start = from;
  for (let count = 0; count < most && start < text.length; count += 1) {
    const end = text.indexOf('\n', start);
    if (end === -1) break;
    const line = text.slice(start, end);
    if (line.startsWith('- ') && line.endsWith(' -->')) found.push([line, start]);
    start = end + 1;
  }
  return found;
}

/** Middles of the runs between two places of the base. */
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
    // A list without markers, as of people, is prose.
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
