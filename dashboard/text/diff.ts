/** Compares two texts line by line with the algorithm of Myers, which finds a shortest list of edits. */

/** A line of one text or of both. */
export interface Edit {
  kind: 'same' | 'removed' | 'added';
  line: string;
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

/** Keeps the lines near a change and marks with `null` where lines were left out. */
export function nearChanges(edits: readonly Edit[], around = 3): (Edit | null)[] {
  const shown = edits.map((_, i) => edits.slice(Math.max(0, i - around), i + around + 1).some(isChange));
  return edits.flatMap((edit, i) => (shown[i] ? [edit] : i === 0 || shown[i - 1] ? [null] : []));
}

function isChange({ kind }: Edit): boolean {
  return kind !== 'same';
}
