/**
 * Puts a version's notes into a file such as CHANGELOG.md: under the heading of the version that stands there, else under a new
 * one, below the title and what is not released yet. Not a byte of the other versions changes, and putting the same notes in
 * twice is the same as once.
 */
import { DeliveryError } from '../channel.ts';
import { type Heading, isVersion, namesVersion, readHeadings, versionLine, wordsOf } from './version-heading.ts';

/** Notes of a version, for a file. */
export interface VersionNotes {
  version: string;
  /** The new heading's text behind the version, such as a date in brackets; '' for none. */
  suffix: string;
  /** Markdown with `\n` at line ends. */
  bodyMd: string;
}

const byteOrderMark = '\uFEFF';
/** Names the address of links in the text. */
const definition = /^ {0,3}\[[^\]\n]+\]:[ \t]*\S/;

/**
 * The file's new text.
 * @param text null where there is no file yet
 * @param title heading of a new file
 * @throws DeliveryError `refused` when the file ends in the middle of a block of code
 */
export function withVersion(text: string | null, title: string, notes: VersionNotes): string {
  if (text === null || text.replace(byteOrderMark, '').trim() === '')
    return `${text?.startsWith(byteOrderMark) ? byteOrderMark : ''}# ${title}\n\n${sectionOf(heading(notes, 2), notes, 2)}`;
  const mark = text.startsWith(byteOrderMark) ? byteOrderMark : '';
  const body = text.slice(mark.length);
  const lineEnd = usualLineEnd(body);
  const { headings, isOpen } = readHeadings(body);
  const { start, end, written, level } = placeOf(body, headings, notes);
  // It would hide the notes, and what it hides of other versions would go with the next ones.
  if (isOpen && end >= lastOf(body))
    throw new DeliveryError(
      'refused',
      'The file has a block of code or a comment that never ends. Close it, then publish again.',
    );
  const before = body.slice(0, start);
  const after = body.slice(end);
  const section = sectionOf(written, notes, level).replaceAll('\n', lineEnd);
  return mark + before + gap(before, lineEnd) + section + (after === '' ? '' : lineEnd) + after;
}

/** Where a version's section stands or comes to stand, the lines of its heading, and their level. */
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
  // What follows must not come to stand below it.
  const follower = headings.find((one) => one.start >= start)?.level ?? 0;
  const level = Math.max(first?.level ?? unreleased?.level ?? 2, follower);
  return { start, end: start, written: heading(notes, level), level };
}

/** Before the first heading below the title; without any, at the end. */
function afterTitle(headings: readonly Heading[], body: string): number {
  const [title, next] = headings;
  if (!title) return lastOf(body);
  return title.level > 1 ? title.start : (next?.start ?? lastOf(body));
}

/** Where a heading's section ends: at the next of its level or above. */
function endOf(own: Heading, headings: readonly Heading[], body: string): number {
  const next = headings.find(({ start, level }) => start > own.start && level <= own.level);
  return next?.start ?? Math.max(own.end, lastOf(body));
}

/** Where the text ends, but for addresses of links that are listed below it. */
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
  // Addresses of links at its end would pass for those of the file.
  const ends = definition.test(text.slice(text.lastIndexOf('\n') + 1)) ? '\n\n<!-- -->' : '';
  return `${written}\n\n${text}${ends}\n`;
}

/** The notes with their headings below the level of the version's; underlined ones are written with marks. */
function below(bodyMd: string, level: number): string {
  const { headings } = readHeadings(bodyMd);
  const shift = level + 1 - headings.reduce((least, each) => Math.min(least, each.level), 7);
  if (headings.length === 0 || shift <= 0) return bodyMd;
  let [text, from] = ['', 0];
  for (const { level: own, text: words, start, end } of headings) {
    const lineEnd = bodyMd.slice(start, end).endsWith('\n') ? '\n' : '';
    text += `${bodyMd.slice(from, start)}${'#'.repeat(Math.min(6, own + shift))} ${words}${lineEnd}`;
    from = end;
  }
  return text + bodyMd.slice(from);
}

/** What is missing of a blank line between a text and what follows it. */
function gap(before: string, lineEnd: string): string {
  if (before === '' || /(?:\r?\n)[ \t]*\r?\n$/.test(before)) return '';
  return before.endsWith('\n') ? lineEnd : lineEnd + lineEnd;
}

function usualLineEnd(text: string): string {
  const crlf = text.split('\r\n').length - 1;
  return crlf > 0 && crlf >= text.split('\n').length - 1 - crlf ? '\r\n' : '\n';
}

/** A version as the text of a heading: it can be a hostile tag name. */
function escapeHeading(version: string): string {
  return versionLine(version).replace(/[\\`*[\]<>|~&#]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\$&');
}
