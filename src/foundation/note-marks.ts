/** Finds the kind of changes that a heading of a note names. Lists and pages show the kinds as marks. */
import { type NoteMark, noteMarks } from '../protocol/hosted.ts';
import { visibleText } from './visible-text.ts';

/**
 * The headings of each kind: the titles of sections that drafts have by default, and common variants. A heading with
 * other words, such as "New Contributors" or "Fixed in an earlier version", has no mark.
 */
const headings: Readonly<Record<NoteMark, RegExp>> = {
  breaking: /^(?:breaking(?: changes?)?|action required|actions required)$/,
  security: /^security(?: (?:updates?|fix(?:es)?))?$/,
  new: /^(?:new|(?:new )?features?|what(?: s|s) new|added)$/,
  improved: /^(?:improved|improvements?|enhancements?|performance|changed)$/,
  fixed: /^(?:fixed|(?:bug )?fix(?:es)?|bugfix(?:es)?)$/,
};
const maxHeadingLength = 80;

/** Returns the kind that a heading names; undefined if it names none. Case, signs and pictures do not matter. */
export function markOfHeading(heading: string): NoteMark | undefined {
  if (heading.length > maxHeadingLength) return undefined;
  const words = visibleText(heading)
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .toLowerCase();
  return noteMarks.find((mark) => headings[mark].test(words));
}

/** Returns marks without duplicates, in the order in which they are shown. */
export function inShownOrder(marks: Iterable<NoteMark>): NoteMark[] {
  const found = new Set(marks);
  return noteMarks.filter((mark) => found.has(mark));
}
