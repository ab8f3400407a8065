/**
 * Finds the code spans of a line, and changes the text beside them. Code itself is never changed.
 */

/** A part of a line, the end excluded. */
export interface Span {
  start: number;
  end: number;
}

/**
 * Code spans of a line: each closes at the next run of as many backticks. `open`: a run is left that may close further down.
 * @param escapes a backslash before a run keeps it from opening code, as in Markdown; a title has no escapes
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
      // Only the first backtick is escaped. The others open a shorter run: the rest of the line is not taken for code.
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

/** Unicode reserves these for use inside a program: no text that is exchanged has them. */
const codeBegins = '\uFDEE';
const codeEnds = '\uFDEF';
const firstDigit = 0xfdd0;
const placeholder = new RegExp(`${codeBegins}([\\uFDD0-\\uFDDF]*)${codeEnds}`, 'g');

/**
 * Changes the text beside the code spans of a line. `change` gets one text in which each span is a placeholder; a span whose
 * placeholder it drops is dropped too.
 */
export function besideCode(line: string, change: (text: string) => string): string {
  const spans = line.includes('`') ? codeSpansIn(line).spans.filter((span) => isMeant(line, span)) : [];
  if (spans.length === 0) return change(line);
  const pieces: string[] = [];
  let from = 0;
  for (const [index, { start, end }] of spans.entries()) {
    pieces.push(line.slice(from, start), codeBegins, digitsOf(index), codeEnds);
    from = end;
  }
  const changed = change(pieces.join('') + line.slice(from));
  return changed.replace(placeholder, (_all, digits: string) => {
    const span = spans[indexOf(digits)];
    return span ? line.slice(span.start, span.end) : '';
  });
}

/** A line with single blanks beside its code. */
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

/** Between two stray backticks stands text: nobody writes code with blanks at both ends, except around a backtick. */
function isMeant(line: string, { start, end }: Span): boolean {
  return line[start + 1] === '`' || line[start + 1] !== ' ' || line[end - 2] !== ' ';
}

/** Whether an odd number of backslashes stands before a place. */
function isEscaped(line: string, at: number): boolean {
  let start = at;
  while (line[start - 1] === '\\') start -= 1;
  return (at - start) % 2 === 1;
}

/** For each run the number of the next one of the same length; read from the end, as looking ahead from each is quadratic. */
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

/** The runs of backticks of a text. */
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
