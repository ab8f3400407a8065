/**
 * Inserts a version's notes into a file such as CHANGELOG.md. If the file has a section of that version, the notes
 * replace the text of the section. If the file has no such section, a new section is added below the title and the
 * unreleased changes. The text of other versions stays the same, byte for byte. Inserting the same notes twice changes
 * nothing.
 */
import { DeliveryError } from '../channel.ts';
import { type Heading, isVersion, namesVersion, readHeadings, versionLine, wordsOf } from './version-heading.ts';

/** The notes of one version, to be inserted into a file. */
export interface VersionNotes {
  version: string;
  /** Text after the version in a new heading, such as a date in parentheses; '' for none. */
  suffix: string;
  /** The notes in Markdown, with `\n` at line ends. */
  bodyMd: string;
}

const byteOrderMark = '\uFEFF';
/** Matches a line that defines the address of a link. */
const definition = /^ {0,3}\[[^\]\n]+\]:[ \t]*\S/;

/**
 * Returns the file's new text.
 * @param text null if the file does not exist yet
 * @param title heading of a new file
 * @throws DeliveryError `refused` when the file ends inside a block of code or a comment
 */
export function withVersion(text: string | null, title: string, notes: VersionNotes): string {
  if (text === null || text.replace(byteOrderMark, '').trim() === '')
    return `${text?.startsWith(byteOrderMark) ? byteOrderMark : ''}# ${title}\n\n${sectionOf(heading(notes, 2), notes, 2)}`;
  const mark = text.startsWith(byteOrderMark) ? byteOrderMark : '';
  const body = text.slice(mark.length);
  const lineEnd = usualLineEnd(body);
  const { headings, isOpen } = readHeadings(body);
  const { start, end, written, level } = placeOf(body, headings, notes);
  // Refuse a file that ends inside an open block of code or comment. The block would hide the new notes. The block
  // would also hide the headings of other versions, so an update would replace these versions.
  if (isOpen && end >= lastOf(body))
    throw new DeliveryError(
      'refused',
      'The file has a code block or a comment without an end. Close it in the file, then publish again.',
    );
  const before = body.slice(0, start);
  const after = body.slice(end);
  const section = sectionOf(written, notes, level).replaceAll('\n', lineEnd);
  return mark + before + gap(before, lineEnd) + section + (after === '' ? '' : lineEnd) + after;
}

/**
 * Position of a version's section in the file. `written` is the heading of the section, and `level` is the level of
 * this heading. For a new section, `start` and `end` are the position at which the section is inserted.
 */
interface Place {
  start: number;
  end: number;
  written: string;
  level: number;
}

function placeOf(body: string, headings: readonly Heading[], notes: VersionNotes): Place {
  const first = headings.find(({ text }) => isVersion(text));
  const deepest = Math.max(2, first?.level ?? 2);
  const own = headings
    .filter(({ text, level }) => level <= deepest && namesVersion(text, notes.version))
    .reduce<Heading | undefined>((best, one) => (best && best.level <= one.level ? best : one), undefined);
  if (own) {
    const written = body.slice(own.start, own.end).replace(/\r\n/g, '\n').trimEnd();
    return { start: own.start, end: endOf(own, headings, body), written, level: own.level };
  }
  const unreleased = headings.find(({ text }) => /^unreleased\b/i.test(wordsOf(text)));
  const start = unreleased ? endOf(unreleased, headings, body) : (first?.start ?? afterTitle(headings, body));
  // If the section that follows has a deeper level than usual, the new section gets the same level. At the usual level,
  // the section that follows would become a subsection of the new section.
  const follower = headings.find((one) => one.start >= start)?.level ?? 0;
  const level = Math.max(first?.level ?? unreleased?.level ?? 2, follower);
  return { start, end: start, written: heading(notes, level), level };
}

/**
 * Returns the position before the first heading below the title. Without such a heading, returns the end of
 * the text.
 */
function afterTitle(headings: readonly Heading[], body: string): number {
  const [title, next] = headings;
  if (!title) return lastOf(body);
  return title.level > 1 ? title.start : (next?.start ?? lastOf(body));
}

/** Returns the end of a heading's section: the next heading of the same or a higher level. */
function endOf(own: Heading, headings: readonly Heading[], body: string): number {
  const next = headings.find(({ start, level }) => start > own.start && level <= own.level);
  return next?.start ?? Math.max(own.end, lastOf(body));
}

/** Returns the offset at which the text ends. Link definitions at the bottom of the text are not counted as text. */
function lastOf(body: string): number {
  let [last, offset] = [body.length, body.length];
  for (const line of body.split(/(?<=\n)/).reverse()) {
    offset -= line.length;
    if (definition.test(line)) last = offset;
    else if (line.trim() !== '') break;
  }
  return last;
}

function heading({ version, suffix }: VersionNotes, level: number): string {
  return `${'#'.repeat(level)} ${escapeHeading(version)}${suffix === '' ? '' : ` ${suffix}`}`;
}

function sectionOf(written: string, { bodyMd }: VersionNotes, level: number): string {
  const text = below(bodyMd.trim(), level);
  // If the notes end with a link definition, a comment is added after the definition. Without the comment, the
  // definition would count as one of the link definitions at the end of the file. Those definitions do not belong to a
  // version.
  const ends = definition.test(text.slice(text.lastIndexOf('\n') + 1)) ? '\n\n<!-- -->' : '';
  return `${written}\n\n${text}${ends}\n`;
}

/**
 * Gives all headings of the notes a deeper level than the version's heading. Underlined headings are rewritten with
 * `#`.
 */
function below(bodyMd: string, level: number): string {
  const { headings } = readHeadings(bodyMd);
  const shift = level + 1 - headings.reduce((lowest, each) => Math.min(lowest, each.level), 7);
  if (headings.length === 0 || shift <= 0) return bodyMd;
  let [text, from] = ['', 0];
  for (const { level: own, text: words, start, end } of headings) {
    const lineEnd = bodyMd.slice(start, end).endsWith('\n') ? '\n' : '';
    text += `${bodyMd.slice(from, start)}${'#'.repeat(Math.min(6, own + shift))} ${words}${lineEnd}`;
    from = end;
  }
  return text + bodyMd.slice(from);
}

/** Returns the line ends to add after a text, so that a blank line follows the text. */
function gap(before: string, lineEnd: string): string {
  if (before === '' || /(?:\r?\n)[ \t]*\r?\n$/.test(before)) return '';
  return before.endsWith('\n') ? lineEnd : lineEnd + lineEnd;
}

function usualLineEnd(text: string): string {
  const crlf = text.split('\r\n').length - 1;
  return crlf > 0 && crlf >= text.split('\n').length - 1 - crlf ? '\r\n' : '\n';
}

/** Escapes a version for a heading, since a tag name can be hostile. */
function escapeHeading(version: string): string {
  return versionLine(version).replace(/[\\`*[\]<>|~&#]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\$&');
}
