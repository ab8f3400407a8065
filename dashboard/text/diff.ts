/** Compares two texts line by line with the algorithm of Myers, which finds a shortest list of edits. */

/** A line of one text or of both. */
export interface Edit {
  kind: 'same' | 'removed' | 'added';
  line: string;
  /** The line in pieces, if it has a counterpart that differs only in some words. */
  words?: readonly Piece[];
}

/** A part of a line. It is changed if the counterpart of the line does not contain it. */
export interface Piece {
  text: string;
  isChanged: boolean;
}

/** Maximum number of edits that are searched for. Texts that differ more are shown as removed and added as a whole. */
const maxEdits = 600;

/** Splits a text into lines. A line break at the end makes no further line. */
export function linesOf(text: string): string[] {
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Returns the edits that lead from `before` to `after`. */
export function diffLines(before: readonly string[], after: readonly string[]): Edit[] {
  let start = 0;
  const shorter = Math.min(before.length, after.length);
  while (start < shorter && before[start] === after[start]) start++;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const same = (lines: readonly string[]): Edit[] => lines.map((line) => ({ kind: 'same', line }));
  return [
    ...same(before.slice(0, start)),
    ...shortest(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...same(before.slice(before.length - end)),
  ];
}

function shortest(before: readonly string[], after: readonly string[]): Edit[] {
  const removed = before.map((line): Edit => ({ kind: 'removed', line }));
  const added = after.map((line): Edit => ({ kind: 'added', line }));
  if (before.length === 0 || after.length === 0) return [...removed, ...added];
  const trace = traceOf(before, after);
  return trace ? walkBack(trace, before, after) : [...removed, ...added];
}

/** For each number of edits, the furthest line of `before` that is reached on each diagonal. */
type Trace = Map<number, number>[];

function traceOf(before: readonly string[], after: readonly string[]): Trace | undefined {
  const trace: Trace = [];
  const furthest = new Map([[1, 0]]);
  for (let edits = 0; edits <= Math.min(before.length + after.length, maxEdits); edits++) {
    trace.push(new Map(furthest));
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let x = goesDown(furthest, diagonal, edits)
        ? (furthest.get(diagonal + 1) as number)
        : (furthest.get(diagonal - 1) as number) + 1;
      while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal]) x++;
      furthest.set(diagonal, x);
      if (x >= before.length && x - diagonal >= after.length) return trace;
    }
  }
  return undefined;
}

function goesDown(furthest: ReadonlyMap<number, number>, diagonal: number, edits: number): boolean {
  if (diagonal === -edits) return true;
  if (diagonal === edits) return false;
  return (furthest.get(diagonal - 1) as number) < (furthest.get(diagonal + 1) as number);
}

function walkBack(trace: Trace, before: readonly string[], after: readonly string[]): Edit[] {
  const edits: Edit[] = [];
  let [x, y] = [before.length, after.length];
  for (let step = trace.length - 1; step >= 0; step--) {
    const furthest = trace[step] as Map<number, number>;
    const diagonal = x - y;
    const from = goesDown(furthest, diagonal, step) ? diagonal + 1 : diagonal - 1;
    const fromX = step === 0 ? 0 : (furthest.get(from) as number);
    const fromY = step === 0 ? 0 : fromX - from;
    while (x > fromX && y > fromY) {
      edits.push({ kind: 'same', line: before[--x] as string });
      y--;
    }
    if (step === 0) break;
    if (x === fromX) edits.push({ kind: 'added', line: after[--y] as string });
    else edits.push({ kind: 'removed', line: before[--x] as string });
  }
  return edits.reverse();
}

/**
 * Finds the words that differ between a removed line and the added line in its place. Lines that share little are left
 * as they are, because marks on most of their words would only be in the way.
 */
export function withWords(edits: readonly Edit[]): Edit[] {
  const marked = [...edits];
  for (let i = 0; i < marked.length; ) {
    const start = i;
    while (marked[i]?.kind === 'removed') i++;
    const middle = i;
    while (marked[i]?.kind === 'added') i++;
    for (let at = 0; at < Math.min(middle - start, i - middle); at++) {
      const [before, after] = [marked[start + at] as Edit, marked[middle + at] as Edit];
      const pieces = diffWords(before.line, after.line);
      if (!pieces) continue;
      marked[start + at] = { ...before, words: pieces[0] };
      marked[middle + at] = { ...after, words: pieces[1] };
    }
    if (i === start) i++;
  }
  return marked;
}

/** Compares two lines by words. Returns the pieces of both; undefined if they share less than a third of their words. */
export function diffWords(before: string, after: string): readonly [Piece[], Piece[]] | undefined {
  const wordsIn = (line: string): string[] => line.match(/[\p{L}\p{N}]+|\s+|[^\p{L}\p{N}\s]/gu) ?? [];
  const edits = diffLines(wordsIn(before), wordsIn(after));
  const shared = edits.filter(({ kind, line }) => kind === 'same' && /[\p{L}\p{N}]/u.test(line)).length;
  const all = edits.filter(({ line }) => /[\p{L}\p{N}]/u.test(line)).length;
  if (shared * 3 < all) return undefined;
  const side = (own: Edit['kind']): Piece[] => {
    const pieces: Piece[] = [];
    for (const { kind, line } of edits) {
      if (kind !== 'same' && kind !== own) continue;
      const last = pieces.at(-1);
      const isChanged = kind === own;
      if (last?.isChanged === isChanged) last.text += line;
      else pieces.push({ text: line, isChanged });
    }
    return pieces;
  };
  return [side('removed'), side('added')];
}

/** Keeps the lines near a change and marks with `null` where lines were left out. */
export function nearChanges(edits: readonly Edit[], around = 3): (Edit | null)[] {
  const shown = edits.map((_, i) => edits.slice(Math.max(0, i - around), i + around + 1).some(isChange));
  return edits.flatMap((edit, i) => (shown[i] ? [edit] : i === 0 || shown[i - 1] ? [null] : []));
}

function isChange({ kind }: Edit): boolean {
  return kind !== 'same';
}
