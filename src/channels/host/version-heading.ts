/**
 * Headings of a file of notes: which there are, which of them name a version. A heading is one that stands at the start of its
 * line, outside fences and comments; both ways to write one are known.
 */
import { fenceAfter } from './markdown-parts.ts';

/** A version as one line without control characters: as it stands in a heading, but for its escapes. */
export function versionLine(version: string): string {
  return version
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}

export interface Heading {
  level: number;
  /** Without its marks; Markdown inside as it is. */
  text: string;
  /** Offset of its first line, and of what follows it. */
  start: number;
  end: number;
}

/** All headings of a text, whatever its line ends, and whether it ends in the middle of a fence or comment. */
export function readHeadings(text: string): { headings: Heading[]; isOpen: boolean } {
  const found: Heading[] = [];
  let [fence, isComment, offset] = ['', false, 0];
  // The two lines before: an underlined heading is one line that stands apart.
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

/** A heading's words: escapes undone, the address of a link and stress left out. */
export function wordsOf(heading: string): string {
  return heading
    .replace(/^\*\*(.*)\*\*$/, '$1')
    .replace(/^\[((?:\\.|[^\]\\]){1,600})\](?:\((?:[^()]|\([^()]*\)){0,2000}\)|\[[^\]]*\])?/, '$1')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .trim();
}

/**
 * Whether a heading is that of a version, as people and programs write it: alone, or with a date or a name behind it, in
 * brackets, after the word "Version", with or without its `v`.
 */
export function namesVersion(heading: string, version: string): boolean {
  const words = wordsOf(heading);
  const named = [words, words.replace(/^(?:version|release)\s+/i, '')];
  return named.some((text) => spellings(versionLine(version)).some((spelling) => isNamed(text, spelling)));
}

/** Whether a heading names any version: numbers with a dot between them. */
export function isVersion(heading: string): boolean {
  return /^(?:(?:version|release)\s+)?v?\d+\.\d+/i.test(wordsOf(heading));
}

function isNamed(text: string, version: string): boolean {
  if (!text.startsWith(version)) return false;
  const rest = text.slice(version.length);
  if (/^\s*$|^\s+\(|^\s+\d{4}-\d{2}-\d{2}/.test(rest)) return true;
  // Behind a version with blanks, such as two dates, anything more makes another one.
  return !/\s/.test(version) && /^(?:\s+[-–—/:,]|:\s)/.test(rest);
}

function spellings(version: string): string[] {
  if (/^v\d/i.test(version)) return [version, version.slice(1)];
  return /^\d/.test(version) ? [version, `v${version}`] : [version];
}

function isTitle(line: string): boolean {
  return line.trim() !== '' && !/^(?:[-*+>#|<]|\d{1,9}[.)]\s|\s)/.test(line);
}

/** Whether a comment that began at the start of a line goes on behind this one. */
function commentAfter(isComment: boolean, line: string): boolean {
  if (isComment) return !line.includes('-->');
  return /^ {0,3}<!--/.test(line) && !line.includes('-->', line.indexOf('<!--') + 4);
}
