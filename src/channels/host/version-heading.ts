/**
 * Reads the headings of a file of notes and decides which of them name a version. A heading starts at the beginning of
 * its line, outside fences and comments. Both `#` headings and underlined headings are supported.
 */
import { fenceAfter } from './markdown-parts.ts';

/** Returns a version as a single line without control characters, not yet escaped for a heading. */
export function versionLine(version: string): string {
  return version
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}

export interface Heading {
  level: number;
  /** The heading's text without `#` marks or underline. Markdown inside it is unchanged. */
  text: string;
  /** Offsets of the heading's first line and of the text after the heading. */
  start: number;
  end: number;
}

/**
 * Returns all headings of a text, and whether the text ends inside a fence or comment. Line ends can be LF or CR LF.
 */
export function readHeadings(text: string): { headings: Heading[]; isOpen: boolean } {
  const found: Heading[] = [];
  let [fence, isComment, offset] = ['', false, 0];
  // An underlined heading is a single line between a blank line and the underline. So the loop remembers the previous
  // two lines.
  let [before, previous] = ['', ''];
  for (const whole of text.split(/(?<=\n)/)) {
    const line = whole.replace(/\r?\n$/, '');
    const isFenced = fence !== '';
    if (!isComment) fence = fenceAfter(fence, line);
    const isText = !isFenced && fence === '' && !isComment;
    const marks = isText ? /^(#{1,6})(?:[ \t]+(.*))?$/.exec(line) : null;
    if (marks) {
      const title = (marks[2] ?? '').replace(/(?:^|(?<![ \t])[ \t]+)#+[ \t]*$/, '').trim();
      found.push({ level: (marks[1] as string).length, text: title, start: offset, end: offset + whole.length });
    } else if (isText && /^(?:=+|-+)[ \t]*$/.test(line) && isTitle(previous) && before.trim() === '') {
      const start = offset - previous.length;
      found.push({ level: line[0] === '=' ? 1 : 2, text: previous.trim(), start, end: offset + whole.length });
    }
    if (!isFenced && fence === '') isComment = commentAfter(isComment, line);
    offset += whole.length;
    [before, previous] = [previous, isText ? whole : ''];
  }
  return { headings: found, isOpen: fence !== '' || isComment };
}

/** Returns the words of a heading, without escapes, bold marks and addresses of links. */
export function wordsOf(heading: string): string {
  return heading
    .replace(/^\*\*(.*)\*\*$/, '$1')
    .replace(/^\[((?:\\.|[^\]\\]){1,600})\](?:\((?:[^()]|\([^()]*\)){0,2000}\)|\[[^\]]*\])?/, '$1')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .trim();
}

/**
 * Whether a heading names a version, in the forms that people and programs use: `1.2.0` or `v1.2.0`, alone, in
 * brackets, after the word "Version", or followed by a date or a name.
 */
export function namesVersion(heading: string, version: string): boolean {
  const words = wordsOf(heading);
  const named = [words, words.replace(/^(?:version|release)\s+/i, '')];
  return named.some((text) => spellings(versionLine(version)).some((spelling) => isNamed(text, spelling)));
}

/** Whether a heading begins with any version number, that is, two numbers separated by a dot, such as `1.2`. */
export function isVersion(heading: string): boolean {
  return /^(?:(?:version|release)\s+)?v?\d+\.\d+/i.test(wordsOf(heading));
}

function isNamed(text: string, version: string): boolean {
  if (!text.startsWith(version)) return false;
  const rest = text.slice(version.length);
  if (/^\s*$|^\s+\(|^\s+\d{4}-\d{2}-\d{2}/.test(rest)) return true;
  // A version can contain a blank, for example two dates: `2024-01-01 2024-02-01`. After such a version, the heading
  // must not contain a name.
  return !/\s/.test(version) && /^(?:\s+[-–—/:,]|:\s)/.test(rest);
}

function spellings(version: string): string[] {
  if (/^v\d/i.test(version)) return [version, version.slice(1)];
  return /^\d/.test(version) ? [version, `v${version}`] : [version];
}

function isTitle(line: string): boolean {
  return line.trim() !== '' && !/^(?:[-*+>#|<]|\d{1,9}[.)]\s|\s)/.test(line);
}

/** Whether a comment that began at the start of a line continues after this line. */
function commentAfter(isComment: boolean, line: string): boolean {
  if (isComment) return !line.includes('-->');
  return /^ {0,3}<!--/.test(line) && !line.includes('-->', line.indexOf('<!--') + 4);
}
