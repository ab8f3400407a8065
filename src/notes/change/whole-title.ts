/** Completes titles that a host or a person has cut. */
import { singleBlanks } from './code-spans.ts';

/** Matches the sign at the end of a title that was cut. Hosts write one character, people often write three dots. */
const cut = /(?:…|\.{3})$/;
/** Matches the signs and brackets before the words of a title. A line of the body usually does not repeat them. */
const marks = /^(?:(?::[a-z0-9_+-]{2,30}:|\[[^\]]{1,60}\]|[^\p{L}\p{N}\s`"'(@_]+)\s*)+/u;
/** Minimum length of the words of a title that a host cuts, in characters. A short title ends with dots on purpose. */
const minLength = 40;
const maxLength = 200;
/** Maximum number of lines of a body that are searched for the whole title. */
const maxLines = 100;
const listMark = /^\s*[-*+]\s+/;

/**
 * Returns the whole title of a change whose title was cut. Hosts cut long titles, and continue them in the first line of
 * the body: `…ntation`. If the change was squashed, the body lists the subjects of its commits, and one of them can begin
 * with the title. A title that is not cut or that the body does not complete is returned unchanged.
 */
export function wholeTitle(title: string, body: string | null): string {
  if (body === null || !cut.test(title)) return title;
  const begin = singleBlanks(title.replace(cut, '')).trimStart();
  const words = begin.replace(marks, '');
  if (words.length < minLength) return title;
  const lines = body.split(/\r?\n/, maxLines);
  const line = title.endsWith('…') ? (continuation(words, lines) ?? subject(words, lines)) : subject(words, lines);
  if (line === undefined || line.length > maxLength || cut.test(line)) return title;
  return begin.slice(0, begin.length - words.length) + line;
}

/** Returns the words with the rest that the first line of a body adds. A blank before the cut stays. */
function continuation(words: string, lines: readonly string[]): string | undefined {
  const first = lines.find((line) => line.trim() !== '')?.trim() ?? '';
  return /^…\S/.test(first) ? words + first.slice(1) : undefined;
}

/** Returns the item of a list that begins with the words and is longer. An item that is a sentence is not a title. */
function subject(words: string, lines: readonly string[]): string | undefined {
  const begin = words.trimEnd();
  return lines
    .filter((line) => listMark.test(line))
    .map((line) => singleBlanks(line.replace(listMark, '')).trim())
    .find((line) => line.length > begin.length && line.startsWith(begin) && !/[.!?] /.test(line));
}
