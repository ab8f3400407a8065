/**
 * Makes the unified diff of two drafts. Time and size are bounded, because a draft can have thousands of lines and all
 * of them can differ.
 */
import { diffArrays, FILE_HEADERS_ONLY, formatPatch, type StructuredPatchHunk } from 'diff';

/** A text with the name that the header of the diff gives it. */
export interface NamedText {
  name: string;
  text: string;
}

/** A unified diff, and how many lines it adds and removes. */
export interface UnifiedDiff {
  added: number;
  removed: number;
  /** The diff; empty if the texts are equal. */
  diff: string;
  /** Whether the diff was cut, so that it shows only the first differences. */
  truncated: boolean;
}

/** A line of a diff without context: `-` is only in the old text, `+` only in the new text, a blank is in both. */
interface Edit {
  sign: '-' | '+' | ' ';
  line: string;
}

/**
 * Maximum number of moved lines that are found. The time grows with the square of this number. Measured for two texts of
 * 5,000 lines: 90 ms at 1,000, and 1,050 ms at 4,000.
 */
const maxMoves = 1_000;
/** Maximum size of a diff or a text, in bytes. Those of the fifteen drafts of a preview fit into one message. */
const maxBytes = 128 * 1024;
const context = 3;

/**
 * Compares two texts line by line. If more than {@link maxMoves} lines moved, the diff is complete, but it removes and
 * adds more lines than necessary.
 */
export function unifiedDiff(before: NamedText, after: NamedText): UnifiedDiff {
  if (before.text === after.text) return { added: 0, removed: 0, diff: '', truncated: false };
  const edits = editsBetween(linesOf(before.text), linesOf(after.text));
  const hunks = hunksOf(edits);
  const shown = firstHunks(hunks);
  const patch = { oldFileName: before.name, newFileName: after.name, oldHeader: undefined, newHeader: undefined };
  return {
    added: edits.filter(({ sign }) => sign === '+').length,
    removed: edits.filter(({ sign }) => sign === '-').length,
    diff: formatPatch({ ...patch, hunks: shown }, FILE_HEADERS_ONLY),
    truncated: shown !== hunks,
  };
}

/** Returns the first lines of a text that have at most {@link maxBytes} bytes together. */
export function firstLines(text: string): string {
  let left = maxBytes;
  const lines = linesOf(text);
  const end = lines.findIndex((line) => {
    left -= Buffer.byteLength(line);
    return left < 0;
  });
  return end === -1 ? text : lines.slice(0, end).join('');
}

/** Splits a text into lines. Each line keeps its line end. */
function linesOf(text: string): string[] {
  return text === '' ? [] : text.split(/(?<=\n)/);
}

/**
 * Returns the edits that lead from the old lines to the new lines. Lines that only one text has are taken out before the
 * comparison, because they cannot be equal to another line. So a draft whose lines all differ costs little time.
 */
function editsBetween(before: readonly string[], after: readonly string[]): Edit[] {
  const [inBefore, inAfter] = [new Set(before), new Set(after)];
  const kept = equalLines(
    before.filter((line) => inAfter.has(line)),
    after.filter((line) => inBefore.has(line)),
  );
  const edits: Edit[] = [];
  let [from, to] = [0, 0];
  for (const line of kept) {
    for (; before[from] !== line; from++) edits.push({ sign: '-', line: before[from] as string });
    for (; after[to] !== line; to++) edits.push({ sign: '+', line: after[to] as string });
    edits.push({ sign: ' ', line });
    from += 1;
    to += 1;
  }
  for (const line of before.slice(from)) edits.push({ sign: '-', line });
  for (const line of after.slice(to)) edits.push({ sign: '+', line });
  return edits;
}

/**
 * Returns lines that both texts have in the same order: as many as possible, or, if too many lines moved, the lines that
 * both texts begin and end with.
 */
function equalLines(before: string[], after: string[]): string[] {
  const parts = diffArrays(before, after, { maxEditLength: maxMoves });
  if (parts) return parts.flatMap(({ added, removed, value }) => (added || removed ? [] : value));
  const shortest = Math.min(before.length, after.length);
  let start = 0;
  while (start < shortest && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shortest - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  return [...before.slice(0, start), ...before.slice(before.length - end)];
}

/** Groups edits into hunks with {@link context} equal lines around them. */
function hunksOf(edits: readonly Edit[]): StructuredPatchHunk[] {
  const hunks: StructuredPatchHunk[] = [];
  let [oldStart, newStart, done] = [1, 1, 0];
  for (let first = nextChange(edits, 0); first < edits.length; first = nextChange(edits, done)) {
    let last = first;
    for (let next = first; next < edits.length && next - last <= 2 * context; next = nextChange(edits, next + 1))
      last = next;
    const start = Math.max(done, first - context);
    const end = Math.min(edits.length, last + 1 + context);
    oldStart += start - done;
    newStart += start - done;
    const hunk = hunkOf(edits.slice(start, end), oldStart, newStart);
    hunks.push(hunk);
    oldStart += hunk.oldLines;
    newStart += hunk.newLines;
    done = end;
  }
  return hunks;
}

/** Returns the index of the first edit from `from` on that changes something; the number of edits if there is none. */
function nextChange(edits: readonly Edit[], from: number): number {
  let index = from;
  while (index < edits.length && edits[index]?.sign === ' ') index += 1;
  return index;
}

function hunkOf(edits: readonly Edit[], oldStart: number, newStart: number): StructuredPatchHunk {
  const lines = edits.flatMap(({ sign, line }) =>
    line.endsWith('\n') ? [sign + line.slice(0, -1)] : [sign + line, '\\ No newline at end of file'],
  );
  const added = edits.filter(({ sign }) => sign === '+').length;
  const removed = edits.filter(({ sign }) => sign === '-').length;
  return { oldStart, oldLines: edits.length - added, newStart, newLines: edits.length - removed, lines };
}

/**
 * Returns the first hunks of a diff whose lines have at most {@link maxBytes} bytes. The hunk that exceeds the maximum is
 * cut. Returns the same array if the diff is small enough.
 */
function firstHunks(hunks: StructuredPatchHunk[]): StructuredPatchHunk[] {
  let left = maxBytes;
  for (const [index, hunk] of hunks.entries()) {
    for (const [at, line] of hunk.lines.entries()) {
      left -= Buffer.byteLength(line) + 1;
      if (left < 0) return [...hunks.slice(0, index), ...cutHunk(hunk, at)];
    }
  }
  return hunks;
}

/** Keeps the first lines of a hunk. A unified diff states the number of lines in each hunk, so they are counted again. */
function cutHunk(hunk: StructuredPatchHunk, length: number): StructuredPatchHunk[] {
  const lines = hunk.lines.slice(0, length);
  if (lines.length === 0) return [];
  const count = (sign: string): number => lines.filter((line) => line.startsWith(sign)).length;
  const same = count(' ');
  return [{ ...hunk, lines, oldLines: same + count('-'), newLines: same + count('+') }];
}
