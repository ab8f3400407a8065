/** Completes titles that a host or a person has cut. */
import { singleBlanks } from './code-spans.ts';

/** Matches the sign at the end of a title that was cut. Hosts write one character, people often write three dots. */
const cut = /(?:…|\.{3})$/;
/** Matches the sign with which a host begins the rest of a title that it has cut. */
const continued = /^(?:…|\.{3})(?=\S)/;
/** Matches the signs and brackets before the words of a title. A line of the body usually does not repeat them. */
const marks = /^(?:(?::[a-z0-9_+-]{2,30}:|\[[^\]]{1,60}\]|[^\p{L}\p{N}\s`"'(@_]+)\s*)+/u;
/** Minimum length of the words of a title that a host cuts, in characters. A short title ends with dots on purpose. */
const minLength = 40;
const maxLength = 300;
/** Maximum number of lines of a body that are searched for the whole title. */
const maxLines = 100;

/**
 * Returns the whole title of a change whose title was cut. Hosts cut long titles, and continue them in the first line of
 * the body: `…ntation`. If the change was squashed, a line of the body can begin with the title. A title that is not cut
 * or that the body does not complete is returned unchanged.
 */
export function wholeTitle(title: string, body: string | null): string {
  if (body === null || !cut.test(title)) return title;
  const begin = singleBlanks(title.replace(cut, '')).trim();
  const words = begin.replace(marks, '');
  if (words.length < minLength) return title;
  const lines = body.split(/\r?\n/, maxLines).map((line) =>
    singleBlanks(line)
      .replace(/^ ?(?:[-*+] )?/, '')
      .trim(),
  );
  const first = lines.find((line) => line !== '') ?? '';
  const line = continued.test(first)
    ? words + first.replace(continued, '')
    : lines.find((each) => each.length > words.length && each.startsWith(words));
  if (line === undefined || line.length > maxLength || cut.test(line)) return title;
  return begin.slice(0, begin.length - words.length) + line;
}
