/**
 * Finds the code spans of a line, and changes the text around them. Code itself is never changed.
 */

/** A part of a line from `start` to `end`, `end` exclusive. */
export interface Span {
  start: number;
  end: number;
}

/**
 * Finds the code spans of a line. Each span closes at the next run of the same number of backticks. `open` is true when
 * a span may begin on this line and close on a later line.
 * @param escapes true if a backslash before a run prevents the run from opening code, as in Markdown; false for titles,
 *   which have no escapes
 */
export function codeSpansIn(line: string, escapes = false): { spans: Span[]; open: boolean } {
  const runs = backtickRuns(line);
  const spans: Span[] = [];
  let open = false;
  const closings = closingRuns(runs);
  for (let index = 0; index < runs.length; index += 1) {
    const run = runs[index] as Span;
    if (escapes && isEscaped(line, run.start)) {
      if (run.end - run.start === 1) continue;
      // A backslash escapes only the first backtick of a run. The other backticks form a shorter run, which may open
      // code. The search ends here, so no code is found in the rest of the line.
      return { spans, open: true };
    }
    const closing = closings[index];
    if (closing === undefined) {
      open = true;
      continue;
    }
    spans.push({ start: run.start, end: (runs[closing] as Span).end });
    index = closing;
  }
  return { spans, open };
}

/**
 * The first and the last character of a placeholder, which marks where code was in a text. Unicode reserves both
 * characters for use inside a program, so no exchanged text contains them.
 */
const codeBegins = '\uFDEE';
const codeEnds = '\uFDEF';
const firstDigit = 0xfdd0;
const placeholder = new RegExp(`${codeBegins}([\\uFDD0-\\uFDDF]*)${codeEnds}`, 'g');

/**
 * Changes the text around the code spans of a line. `change` gets one text in which each span is a placeholder. If
 * `change` removes a placeholder, that span is removed too.
 */
export function besideCode(line: string, change: (text: string) => string): string {
  const spans = line.includes('`') ? codeSpansIn(line).spans.filter((span) => isMeant(line, span)) : [];
  return besideSpans(line, spans, change);
}

/** Changes the text around the given spans of a line, as `besideCode` does. */
export function besideSpans(line: string, spans: readonly Span[], change: (text: string) => string): string {
  if (spans.length === 0) return change(line);
  const pieces: string[] = [];
  let from = 0;
  for (const [index, { start, end }] of spans.entries()) {
    pieces.push(line.slice(from, start), codeBegins, digitsOf(index), codeEnds);
    from = end;
  }
  const changed = change(pieces.join('') + line.slice(from));
  return changed.replace(placeholder, (all, digits: string, at: number) => {
    const span = spans[indexOf(digits)];
    if (span === undefined) return '';
    // A backtick or a span directly beside this span would join its run of backticks.
    const before = changed[at - 1] === '`' || changed[at - 1] === codeEnds ? ' ' : '';
    return before + line.slice(span.start, span.end) + (changed[at + all.length] === '`' ? ' ' : '');
  });
}

/** Returns a line with single blanks outside its code. */
export function singleBlanks(line: string): string {
  return besideCode(line, (text) => text.replace(/\s+/g, ' '));
}

function digitsOf(index: number): string {
  const digits = index.toString(16);
  let written = '';
  for (const digit of digits) written += String.fromCharCode(firstDigit + Number.parseInt(digit, 16));
  return written;
}

function indexOf(digits: string): number {
  let index = 0;
  for (let at = 0; at < digits.length; at += 1) index = index * 16 + digits.charCodeAt(at) - firstDigit;
  return index;
}

/**
 * Whether a span is meant as code. A span that opens with two or more backticks is always meant as code. A span between
 * two single backticks is not meant as code if it has a blank at both ends, as in "press ` or ` to quote".
 */
function isMeant(line: string, { start, end }: Span): boolean {
  return line[start + 1] === '`' || line[start + 1] !== ' ' || line[end - 2] !== ' ';
}

/** Whether an odd number of backslashes precedes an offset. */
export function isEscaped(line: string, at: number): boolean {
  let start = at;
  while (line[start - 1] === '\\') start -= 1;
  return (at - start) % 2 === 1;
}

/**
 * Returns for each run the index of the next run of the same length. The runs are read from the end, because searching
 * ahead from each run would take quadratic time.
 */
export function closingRuns(runs: readonly Span[]): (number | undefined)[] {
  const closings: (number | undefined)[] = [];
  const next = new Map<number, number>();
  for (let index = runs.length - 1; index >= 0; index -= 1) {
    const { start, end } = runs[index] as Span;
    closings[index] = next.get(end - start);
    next.set(end - start, index);
  }
  return closings;
}

/** Returns all runs of backticks in a text. */
export function backtickRuns(line: string): Span[] {
  const runs: Span[] = [];
  let start = line.indexOf('`');
  while (start !== -1) {
    let end = start + 1;
    while (line[end] === '`') end += 1;
    runs.push({ start, end });
    start = line.indexOf('`', end);
  }
  return runs;
}
