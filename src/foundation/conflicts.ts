/**
 * Writes and reads the hidden comments for conflicts, such as `<!-- rn:gone pr:12 reverted by #15 -->`. Such a comment
 * is beside the words of a person about a change that the generated draft no longer contains. The words after the id
 * are the reason.
 */
import type { AbsentChange, Conflict, ConflictReason, PublicationWarning } from '../protocol/conflicts.ts';
import type { OutdatedReason } from '../protocol/outdated.ts';
import { type DraftLine, firstLineBeside, readDraftLines } from './draft-lines.ts';
import { isChangeId, markedIn, numberAndSha } from './markers.ts';
import { visibleText } from './visible-text.ts';

const opening = '<!-- rn:gone ';
const wholeComment = /^<!-- rn:gone ([\w:.]{1,60})(?: ((?:(?!-->).){1,300}))? -->$/;
const itemMark = /^[\s>]*(?:[-*+]|\d{1,9}[.)])\s/;
const maxDetailLength = 100;
const maxTextLength = 200;
/** Maximum number of reasons that the description of an outdated draft names. */
const maxNamedReasons = 5;
/** Number of characters of a line that are read for its words. The rest of a longer line is ignored. */
const maxLineLength = 4_000;
/**
 * Maximum number of conflicts that are listed for a draft. A draft with more conflicts is still a draft with conflicts.
 * The list shows the next ones when a person has resolved the first ones.
 */
export const maxConflicts = 1_000;

/**
 * The words for each reason. The detail follows the words. A reason without `detail` in the API has no detail here
 * either. No words begin with the words of an earlier reason.
 */
const wordsOf: Record<Exclude<ConflictReason, 'other'>, string> = {
  reverted: 'reverted by',
  reverts: 'itself reverts',
  label: 'left out by the label',
  command: 'left out by the command',
  author: 'author excluded:',
  shipped: 'already released in',
  release: 'only makes a release',
  routine: 'routine work',
  own: 'written for the publication',
  joined: 'now listed with',
  note: 'not in the release note any more',
  unlisted: 'not listed in this draft any more',
  open: 'the issue is open again',
  unresolved: 'closed without being resolved',
  range: 'not in the range any more',
};

/** Whether a text may contain conflicts. Most drafts contain none, and this check takes one search. */
export function mayHaveConflicts(text: string): boolean {
  return text.includes(opening);
}

/** Returns the comment for a change that the generated draft no longer contains. */
export function conflictComment({ id, reason, detail = '' }: AbsentChange): string {
  const words = reason === 'other' ? '' : wordsOf[reason];
  return `${opening}${id} ${`${words} ${inComment(detail)}`.trim()} -->`;
}

/** Describes a conflict in a few words, such as `#12 reverted by #15`. */
export function describeConflict({ id, number, reason, detail }: Omit<Conflict, 'text' | 'sha'>): string {
  const words = reason === 'other' ? '' : wordsOf[reason];
  return `${number === null ? id.replace(':', ' ') : `#${number}`} ${`${words} ${detail ?? ''}`.trim()}`;
}

/** Returns the id and the reason in a comment; undefined for any other text. Blanks around the comment are ignored. */
export function readConflictComment(text: string): (AbsentChange & { detail: string }) | undefined {
  const comment = text.trim();
  if (!comment.startsWith(opening)) return undefined;
  const [, id = '', words = ''] = wholeComment.exec(comment) ?? [];
  return isChangeId(id) ? { id, ...reasonIn(words) } : undefined;
}

function reasonIn(words: string): { reason: ConflictReason; detail: string } {
  for (const [reason, known] of Object.entries(wordsOf)) {
    if (words === known || words.startsWith(`${known} `))
      return { reason: reason as ConflictReason, detail: words.slice(known.length + 1).trim() };
  }
  return words === '' ? { reason: 'range', detail: '' } : { reason: 'other', detail: words };
}

/**
 * Makes a detail safe inside a comment. A label can have any text, so it could end the comment early or begin another
 * one.
 */
function inComment(detail: string): string {
  const line = visibleText(detail.replace(/\s+/g, ' '))
    .replaceAll('<!--', '<! --')
    .replace(/--(?=!?>)/g, '- -');
  return cut(line.trim(), maxDetailLength).replace(/-+$/, '');
}

/** Returns the first `maxConflicts` conflicts of a draft, one per change, in the order of the text. */
export function conflictsOf(bodyMd: string): Conflict[] {
  if (!mayHaveConflicts(bodyMd)) return [];
  const lines = readDraftLines(bodyMd.includes('\r') ? bodyMd.replace(/\r\n?/g, '\n') : bodyMd);
  const conflicts = new Map<string, Conflict>();
  const texts = new Map<number, string | undefined>();
  // Thousands of comments can be about one line, so the words of each line are read once.
  const textOf = (host: number): string | undefined => {
    if (!texts.has(host)) {
      const line = (lines[host] as DraftLine).text;
      texts.set(host, hasWords(line) ? plainLine(line) : undefined);
    }
    return texts.get(host);
  };
  for (const { id, reason, detail, host } of commentsIn(lines)) {
    if (conflicts.size === maxConflicts) break;
    const text = host === undefined || conflicts.has(id) ? undefined : textOf(host);
    if (text === undefined) continue;
    conflicts.set(id, { id, ...numberAndSha(id), text, reason, detail: detail === '' ? null : detail });
  }
  return [...conflicts.values()];
}

/** Returns the warnings of a publication of a draft: whether it is outdated, and its first `maxConflicts` conflicts. */
export function warningsOf(bodyMd: string, outdatedBecause?: OutdatedReason[]): PublicationWarning[] {
  const conflicts = conflictsOf(bodyMd).map((conflict) => ({ kind: 'conflict', ...conflict }) as const);
  return outdatedBecause ? [{ kind: 'outdated', because: outdatedBecause }, ...conflicts] : conflicts;
}

/** Describes a warning in a few words, such as `#12 reverted by #15` or `outdated (#12 merged, settings)`. */
export function describeWarning(warning: PublicationWarning): string {
  if (warning.kind === 'conflict') return describeConflict(warning);
  const named = warning.because.slice(0, maxNamedReasons).map(({ number, sha, what }) => {
    const of = number === undefined ? sha?.slice(0, 12) : `#${number}`;
    return of === undefined ? what : `${of} ${what}`;
  });
  const left = warning.because.length - named.length;
  return `outdated (${named.join(', ')}${left > 0 ? ` and ${left} more` : ''})`;
}

/** A comment for a conflict: the index of its line, and the index of the line that it is about. */
export interface ConflictLine extends AbsentChange {
  detail: string;
  at: number;
  /** Undefined if the comment is not beside words about its change. */
  host: number | undefined;
}

/** Finds the comments for conflicts in the lines of a draft. */
export function commentsIn(lines: readonly DraftLine[]): ConflictLine[] {
  const found: ConflictLine[] = [];
  let last = -1;
  let afterComment = 0;
  let hostOf: ((id: string) => number | undefined) | undefined;
  lines.forEach(({ text, kind }, at) => {
    const comment = kind === 'shown' && text.includes(opening) ? readConflictComment(withoutQuotes(text)) : undefined;
    if (comment) {
      hostOf ??= hostsBefore(lines, last, afterComment);
      found.push({ ...comment, at, host: hostOf(comment.id) });
      afterComment = at + 1;
    } else {
      last = at;
      hostOf = undefined;
    }
  });
  return found;
}

/**
 * Returns a function that finds the line that a comment is about, by the id of its change. Line `last` is the last line
 * before the comment. The line with the marker of the change is chosen, else the line with its number, else the item or
 * the last line with words. If no line names the change and a line has the marker of another one, the result is
 * undefined, because the person has removed the words that the comment was about. Lines before `min` are not read.
 */
function hostsBefore(lines: readonly DraftLine[], last: number, min: number): (id: string) => number | undefined {
  const { kind } = lines[last] ?? { kind: 'blank' };
  if (kind !== 'shown' && kind !== 'code') return () => undefined;
  const first = firstLineBeside(lines, last, min);
  const marked = new Map<string, number>();
  const numbered = new Map<number, number>();
  let other: number | undefined;
  for (let at = last; at >= first; at -= 1) {
    const { text } = lines[at] as DraftLine;
    const ids = markedIn(text);
    for (const id of ids) marked.set(id, at);
    if (ids.length > 0) continue;
    for (const number of numbersIn(text)) numbered.set(number, at);
    if (hasWords(text) && (other === undefined || (at === first && itemMark.test(text)))) other = at;
  }
  return (id) => marked.get(id) ?? numbered.get(numberAndSha(id).number ?? -1) ?? (marked.size > 0 ? undefined : other);
}

/** Returns the numbers of the pull requests and issues that a text refers to, as in `#12`. */
export function numbersIn(text: string): number[] {
  const numbers: number[] = [];
  for (const [, digits = ''] of text.matchAll(/(?<![\w/&#])#(\d{1,10})(?!\w)/g)) numbers.push(Number(digits));
  return numbers;
}

/** Whether a line is a comment for a conflict, apart from quotation marks before it. */
export function isConflictLine(line: string): boolean {
  return mayHaveConflicts(line) && readConflictComment(withoutQuotes(line)) !== undefined;
}

function withoutQuotes(line: string): string {
  return line.replace(/^[\s>]+/, '');
}

/** Returns the words of a line of Markdown, without markers, list marks and emphasis. Links are replaced by their text. */
function plainLine(line: string): string {
  const words = line
    .slice(0, maxLineLength)
    .replace(/<!--.*?(?:-->|$)/g, ' ')
    .replace(/^[\s>]*(?:(?:[-*+]|\d{1,9}[.)]|#{1,6}|\|)\s+)*/, '')
    .replace(/\s\|\s*$/, '')
    .replace(/!?\[([^[\]]{0,300})\]\([^()\s]{0,2000}\)/g, '$1')
    .replace(/\*\*|__|`+/g, '')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1');
  return cut(visibleText(words).replace(/\s+/g, ' ').trim(), maxTextLength);
}

/** Whether a line has words that readers see. A line that is only a comment has none. Very long lines are read in part. */
export function hasWords(line: string): boolean {
  const start = line.slice(0, maxLineLength);
  return /[\p{L}\p{N}]/u.test(start.includes('<!--') ? start.replace(/<!--.*?(?:-->|$)/g, '') : start);
}

function cut(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const characters = [...text.slice(0, 2 * maxLength + 2)];
  return characters.length <= maxLength
    ? characters.join('')
    : `${characters
        .slice(0, maxLength - 1)
        .join('')
        .trimEnd()}…`;
}
