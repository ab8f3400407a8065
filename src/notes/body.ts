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
const breakingFooter = /^BREAKING[ -]CHANGES?(?: ?\([^)\n]{1,60}\))?: ?(.*)$/;
const footer =
  /^(?:[A-Za-z]+-[Bb]y|[A-Z][a-z]+(?:-[a-z]+)+|Refs?|Closes|Fixes|Resolves|PR-URL|BREAKING[ -]CHANGES?)(?: ?\([^)\n]{1,60}\))?: |^-{3,}$/;
/** A line that does nothing but close issues, which templates put at the end of a body. */
const closing = /^(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?[ \t]+\S{0,100}#\d{1,10}[.,;]?\s*$/i;
const noteFence = /^ {0,3}(?:`{3,}|~{3,}) *release-note/;
const fenceEnd = /^ {0,3}(?:`{3,}|~{3,})\s*$/;
/** Most bodies say none of this; a look for the words spares them the reading. */
const upgradeHint = /upgrad|migrat|breaking|action required|impact/i;
const noteHint = /release[- ]note|changelog/i;
const nothing = /^\W*(?:none|n\/?a|no|nothing|not applicable)?\W*$/i;

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
  const text = fencedNote(unixLines(body)) ?? (sectionUnder(body, noteHeading) || undefined);
  if (text === undefined) return undefined;
  const bare = text.trim();
  if (bare === '') return undefined;
  return nothing.test(bare) ? { kind: 'none' } : { kind: 'text', text: bare };
}

function fencedNote(body: string): string | undefined {
  const lines = body.split('\n');
  const start = lines.findIndex((line) => noteFence.test(line));
  if (start === -1) return undefined;
  const length = lines.slice(start + 1).findIndex((line) => fenceEnd.test(line));
  return length === -1 ? undefined : lines.slice(start + 1, start + 1 + length).join('\n');
}

/** The first section that a heading names and that says something, up to the next heading of its depth or less, or a footer. */
function sectionUnder(body: string, wanted: RegExp): string {
  const parts = partsOf(withoutComments(body));
  for (const [index, part] of parts.entries()) {
    if (!wanted.test(part.heading)) continue;
    const rest = parts.slice(index + 1);
    const end = rest.findIndex((next) => next.depth <= part.depth);
    const inside = end === -1 ? rest : rest.slice(0, end);
    const lines = [...part.lines, ...inside.flatMap((deeper) => [`**${deeper.heading}**`, ...deeper.lines])];
    const text = untilFooter(withoutNote(lines)).join('\n').trim();
    if (text !== '' && !nothing.test(text)) return text;
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
  return nothing.test(text) ? '' : text;
}

function untilFooter(lines: string[]): string[] {
  let fenced = false;
  const end = lines.findIndex((line) => {
    if (/^ {0,3}(?:`{3,}(?=[^`]*$)|~{3,})/.test(line)) fenced = !fenced;
    return !fenced && (footer.test(line) || closing.test(line));
  });
  return end === -1 ? lines : lines.slice(0, end);
}
