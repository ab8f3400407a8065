/**
 * Finds what a pull request's body says for the notes: how to upgrade, what it breaks, and a release note written by hand.
 * Returns Markdown as it was written; making it safe to show is left to `quote.ts`.
 */
import { unixLines, visibleProse, withoutComments } from './scan.ts';

/** A release note written in a body; `none` asks to be left out. */
export type ReleaseNote = { kind: 'text'; text: string } | { kind: 'none' };

interface Part {
  depth: number;
  heading: string;
  lines: string[];
}

const upgradeHeading = /\b(?:upgrad(?:e|ing)|migrat(?:ion|ing|e)|breaking|action required)\b/i;
const impactHeading = /\b(?:impact|upgrad(?:e|ing)|migrat(?:ion|ing|e)|breaking|action required)\b/i;
const noteHeading = /^(?:release[- ]notes?|changelog)(?: entry)?$/i;
/** Some write it in bold, as a list item or behind a sign. */
const breakingFooter =
  /^[^\p{L}\p{N}\n>`#|]{0,8}BREAKING[ -]CHANGES?(?: ?\([^)\n]{1,60}\))?(?:[:：][*_]{0,2}|[*_]{1,2}:) ?(.*)$/u;
const footer =
  /^(?:[A-Za-z]+-[Bb]y|[A-Z][a-z]+(?:-[a-z]+)+|Refs?|Closes|Fixes|Resolves|PR-URL|BREAKING[ -]CHANGES?)(?: ?\([^)\n]{1,60}\))?: |^-{3,}$/;
/** A line that does nothing but close issues, which templates put at the end of a body. */
const closing = /^(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?[ \t]+\S{0,100}#\d{1,10}[.,;]?\s*$/i;
const noteFence = /^ {0,3}(?:`{3,}|~{3,}) *release-note/;
const fenceEnd = /^ {0,3}(?:`{3,}|~{3,})\s*$/;
/** Most bodies say none of this; a look for the words spares them the reading. */
const upgradeHint = /upgrad|migrat|breaking|action required|impact/i;
const noteHint = /release[- ]note|changelog/i;
const word = /[\p{L}\p{N}]/iu;
/** Of the first word on, so that there is one place to begin at. */
const nothing =
  /^(?:none|n\/?a|no|nope|nothing|not applicable|tbd|todo|(?:there are )?no (?:breaking|user[- ]facing) changes?)(?=[^\p{L}\p{N}]*$)/iu;
/** What some projects put before a note of something that breaks; drafts have a heading for it. */
const callToAct = /^[^\p{L}\p{N}]*action required[^\p{L}\p{N}]+(?=\S)/iu;
/** Boxes of a template that ask, such as `- [x] No`; longer ones may be steps. */
const askingBox = /^\s*[-*+] \[[ xX]\]\s*(?:\S+(?:\s+\S+)?\s*)?$/;

/** A footer says that the change breaks something. */
export function sayBreaking(body: string): boolean {
  if (!/BREAKING[ -]CHANGE/.test(body)) return false;
  return breakingText(visibleProse(body).split('\n')) !== '';
}

/** How to upgrade: the section on it, else the text of a breaking footer; empty where the body says neither. */
export function upgradeText(body: string): string {
  if (!upgradeHint.test(body)) return '';
  return sectionUnder(body, upgradeHeading) || breakingText(withoutComments(body).split('\n'));
}

/** What the change means to those who use it: the section on impact or upgrade. */
export function impactText(body: string): string {
  if (!upgradeHint.test(body)) return '';
  return sectionUnder(body, impactHeading) || upgradeText(body);
}

/** The release note in a fenced `release-note` block or under a heading of that name. */
export function releaseNote(body: string): ReleaseNote | undefined {
  if (!noteHint.test(body)) return undefined;
  const text = fencedNote(unixLines(body)) ?? noteSection(body);
  if (text === undefined) return undefined;
  const bare = text.trim();
  if (bare === '') return undefined;
  return isWordForNothing(bare) ? { kind: 'none' } : { kind: 'text', text: bare.replace(callToAct, '') };
}

/** What a section says that is no list of boxes to tick. */
function noteSection(body: string): string | undefined {
  const text = sectionUnder(body, noteHeading);
  const isList = text.split('\n').every((line) => line.trim() === '' || /^\s*[-*+] \[[ xX]\]/.test(line));
  return isList ? undefined : text;
}

/** The text of all blocks that say something, as some projects write one for each thing that changed. */
function fencedNote(body: string): string | undefined {
  const found: string[] = [];
  const lines = body.split('\n');
  /** The first line of the block being read. */
  let start = -1;
  for (const [index, line] of lines.entries()) {
    if (start === -1) {
      if (noteFence.test(line)) start = index + 1;
    } else if (fenceEnd.test(line)) {
      found.push(lines.slice(start, index).join('\n'));
      start = -1;
    }
  }
  const said = found.filter((text) => !isNothing(text));
  return said.length > 0 ? said.join('\n') : found[0];
}

/** No words, or a word for nothing. */
function isWordForNothing(text: string): boolean {
  const first = text.search(word);
  return first === -1 || nothing.test(text.slice(first));
}

/** Says nothing: no words, a word for nothing, or the boxes of a template alone. */
function isNothing(text: string): boolean {
  return isWordForNothing(text) || text.split('\n').every((line) => line.trim() === '' || askingBox.test(line));
}

/** The first section that a heading names and that says something, up to the next heading of its depth or less, or a footer. */
function sectionUnder(body: string, wanted: RegExp): string {
  const parts = partsOf(withoutComments(body));
  for (const [index, part] of parts.entries()) {
    if (!wanted.test(part.heading)) continue;
    let end = index + 1;
    while (end < parts.length && (parts[end] as Part).depth > part.depth) end += 1;
    const inside = parts.slice(index + 1, end);
    const lines = [...part.lines, ...inside.flatMap((deeper) => [`**${deeper.heading}**`, ...deeper.lines])];
    const text = untilFooter(withoutNote(lines)).join('\n').trim();
    if (!isNothing(text)) return text;
  }
  return '';
}

/** A release note is quoted for itself: not once more as a part of the section it happens to stand in. */
function withoutNote(lines: readonly string[]): string[] {
  const start = lines.findIndex((line) => noteFence.test(line));
  if (start === -1) return [...lines];
  const length = lines.slice(start + 1).findIndex((line) => fenceEnd.test(line));
  return [...lines.slice(0, start), ...(length === -1 ? [] : lines.slice(start + length + 2))];
}

function partsOf(body: string): Part[] {
  const parts: Part[] = [{ depth: 0, heading: '', lines: [] }];
  let fence = '';
  for (const line of body.split('\n')) {
    const mark = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/.exec(line)?.[1];
    if (mark && (fence === '' || mark.startsWith(fence))) fence = fence === '' ? mark : '';
    const heading = fence === '' && !mark ? headingOf(line) : undefined;
    if (heading) parts.push({ ...heading, lines: [] });
    else (parts.at(-1) as Part).lines.push(line);
  }
  return parts;
}

/** A heading, or a line that is all bold, which many templates use as one; its depth is the deepest. */
function headingOf(line: string): { depth: number; heading: string } | undefined {
  const marked = /^ {0,3}(#{1,6})[ \t]+(\S.{0,200})$/.exec(line);
  if (marked) return { depth: (marked[1] as string).length, heading: (marked[2] as string).replace(/[\s#]+$/, '') };
  const bold = /^\*\*([^*]{1,100})\*\*:?\s*$/.exec(line);
  return bold ? { depth: 7, heading: (bold[1] as string).replace(/:$/, '').trim() } : undefined;
}

function breakingText(lines: readonly string[]): string {
  const start = lines.findIndex((line) => breakingFooter.test(line));
  if (start === -1) return '';
  const first = breakingFooter.exec(lines[start] as string)?.[1] ?? '';
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => headingOf(line) !== undefined);
  const text = [first, ...untilFooter(end === -1 ? rest : rest.slice(0, end))].join('\n').trim();
  return isNothing(text) ? '' : text;
}

function untilFooter(lines: string[]): string[] {
  let fenced = false;
  const end = lines.findIndex((line) => {
    if (/^ {0,3}(?:`{3,}(?=[^`]*$)|~{3,})/.test(line)) fenced = !fenced;
    return !fenced && (footer.test(line) || closing.test(line));
  });
  return end === -1 ? lines : lines.slice(0, end);
}
