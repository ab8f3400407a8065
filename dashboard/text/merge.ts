/** Merges two texts that were made from the same text (a three-way merge by lines). */
import { diffLines, linesOf } from './diff.ts';

/** Lines that need no decision, or lines that both sides changed in different ways. */
export type Part =
  | { kind: 'settled'; lines: readonly string[] }
  | { kind: 'conflict'; mine: readonly string[]; theirs: readonly string[]; base: readonly string[] };

/** The lines that a person chose for a conflict. */
export type Choice = 'mine' | 'theirs' | 'both';

/** Merges `mine` and `theirs`, which were both made from `base`. */
export function merge(base: string, mine: string, theirs: string): Part[] {
  const [old, left, right] = [linesOf(base), linesOf(mine), linesOf(theirs)];
  const [inLeft, inRight] = [positions(old, left), positions(old, right)];
  const parts: Part[] = [];
  let [o, l, r] = [0, 0, 0];
  while (o < old.length || l < left.length || r < right.length) {
    if (o < old.length && inLeft[o] === l && inRight[o] === r) {
      settle(parts, [old[o] as string]);
      [o, l, r] = [o + 1, l + 1, r + 1];
      continue;
    }
    let next = o;
    while (next < old.length && (inLeft[next] === undefined || inRight[next] === undefined)) next++;
    const [nextLeft, nextRight] =
      next < old.length ? [inLeft[next] as number, inRight[next] as number] : [left.length, right.length];
    addChanged(parts, old.slice(o, next), left.slice(l, nextLeft), right.slice(r, nextRight));
    [o, l, r] = [next, nextLeft, nextRight];
  }
  return parts;
}

/** Writes the merged text. A conflict without a choice keeps the lines of both sides. */
export function mergedText(parts: readonly Part[], choices: ReadonlyMap<number, Choice>): string {
  const lines = parts.flatMap((part, i) => {
    if (part.kind === 'settled') return part.lines;
    const choice = choices.get(i) ?? 'both';
    return [...(choice === 'theirs' ? [] : part.mine), ...(choice === 'mine' ? [] : part.theirs)];
  });
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}

/** Returns for each line of `before` its position in `after`; undefined for lines that were removed. */
function positions(before: readonly string[], after: readonly string[]): (number | undefined)[] {
  const found: (number | undefined)[] = [];
  let at = 0;
  for (const { kind } of diffLines(before, after)) {
    if (kind !== 'added') found.push(kind === 'same' ? at : undefined);
    if (kind !== 'removed') at++;
  }
  return found;
}

function addChanged(parts: Part[], base: readonly string[], mine: readonly string[], theirs: readonly string[]): void {
  if (equal(mine, base)) settle(parts, theirs);
  else if (equal(theirs, base) || equal(mine, theirs)) settle(parts, mine);
  else parts.push({ kind: 'conflict', base, mine, theirs });
}

function settle(parts: Part[], lines: readonly string[]): void {
  const last = parts.at(-1);
  if (last?.kind === 'settled') parts[parts.length - 1] = { kind: 'settled', lines: [...last.lines, ...lines] };
  else if (lines.length > 0) parts.push({ kind: 'settled', lines });
}

function equal(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((line, i) => line === other[i]);
}
