/**
 * Finds the parts of a pull request's body that the notes use: how to upgrade, which behavior the change breaks, and a
 * release note written by hand. The parts are returned as Markdown, as they were written. `draft/quote.ts` makes them
 * safe to show.
 */
import { unixLines, visibleProse, withoutComments } from './scan.ts';

/**
 * A release note that was found in the body of a pull request. `none` means that the author wants no entry for the
 * change.
 */
export type ReleaseNote = { kind: 'text'; parts: NotePart[] } | { kind: 'none' };

/**
 * A block or section with a release note. `label` is the word after `release-note:` that begins a block, for example
 * `bug`; empty if there is no such word.
 */
export interface NotePart {
  label: string;
  text: string;
}

interface Part {
  depth: number;
  heading: string;
  lines: string[];
}

const upgradeHeading = /\b(?:upgrad(?:e|ing)|migrat(?:ion|ing|e)|breaking|action required)\b/i;
const impactHeading = /\b(?:impact|upgrad(?:e|ing)|migrat(?:ion|ing|e)|breaking|action required)\b/i;
const noteHeading = /^(?:release[- ]notes?|changelog)(?: entry)?$/i;
/**
 * Matches the first line of a breaking footer, for example `BREAKING CHANGE: …`. Some people write the line in bold, as
 * a list item, or with a sign in front, such as `⚠`.
 */
const breakingFooter =
  /^[^\p{L}\p{N}\n>`#|]{0,8}BREAKING[ -]CHANGES?(?: ?\([^)\n]{1,60}\))?(?:[:：][*_]{0,2}|[*_]{1,2}:) ?(.*)$/u;
/** Matches a line that ends a text. Such a line often holds a name and an address: `Co-Authored-By: …`. */
const footer =
  /^(?:[A-Za-z][A-Za-z-]{0,60}-[Bb][Yy](?: ?\([^)\n]{1,60}\))?:|(?:[A-Z][a-z]+(?:-[a-z]+)+|Refs?|Closes|Fixes|Resolves|PR-URL|BREAKING[ -]CHANGES?)(?: ?\([^)\n]{1,60}\))?: |-{3,}$)/;
/** Matches a line that only closes issues. Templates put such a line at the end of a body. */
const closing = /^(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?[ \t]+\S{0,100}#\d{1,10}[.,;]?\s*$/i;
/**
 * Matches the line of a squashed commit with a conventional type. Hosts put such lines into bodies: `* fix: …`. Any
 * other word before a colon can begin a step: `* config: …`.
 */
const squashed =
  /^\* (?:feat|feature|fix|bugfix|hotfix|chore|docs?|refactor|perf|tests?|ci|build|style|revert|deps|wip)(?:\([^()]{1,60}\))?!?: \S/;
const noteFence = /^ {0,3}(?:`{3,}|~{3,}) *release-notes?(?::([\w-]{1,40}))?/;
const fenceEnd = /^ {0,3}(?:`{3,}|~{3,})\s*$/;
/** Most bodies contain none of these words. A quick search for the words avoids parsing such bodies. */
const upgradeHint = /upgrad|migrat|breaking|action required|impact/i;
const noteHint = /release[- ]note|changelog/i;
const word = /[\p{L}\p{N}]/iu;
/**
 * Matches a text that says that there is nothing to note, or that no action is required: `Action required: None`. The
 * caller removes everything before the first word of the text. So the expression is tried only at the start of the text.
 */
const nothing =
  /^(?:action required[^\p{L}\p{N}]{1,20})?(?:none|n\/?a|no|nope|nothing|not applicable|tbd|todo|(?:there are )?no (?:breaking|user[- ]facing) changes?)(?=[^\p{L}\p{N}]*$)/iu;
/**
 * Matches a checkbox with at most two words, such as `- [x] No`. Such a box only answers a question of a template. A
 * box with a longer text may be a step of an upgrade, so it does not match.
 */
const askingBox = /^\s*[-*+] \[[ xX]\]\s*(?:\S+(?:\s+\S+)?\s*)?$/;

/** Whether the body of a pull request has a footer that marks the change as breaking. */
export function announcesBreaking(body: string): boolean {
  if (!/BREAKING[ -]CHANGE/.test(body)) return false;
  return breakingText(visibleProse(body).split('\n')) !== '';
}

/**
 * Returns the upgrade instructions: the section about upgrading, else the text of a `BREAKING CHANGE` footer, else an
 * empty text.
 */
export function upgradeText(body: string): string {
  if (!upgradeHint.test(body)) return '';
  return sectionUnder(body, upgradeHeading) || breakingText(withoutComments(body).split('\n'));
}

/**
 * Returns how the change affects its users: the section about impact or upgrading, else the result of `upgradeText`.
 */
export function impactText(body: string): string {
  if (!upgradeHint.test(body)) return '';
  return sectionUnder(body, impactHeading) || upgradeText(body);
}

/**
 * Returns the release note in a fenced `release-note` block or under a heading of that name. The text of a block with
 * the label `none` is not a note for readers.
 */
export function releaseNote(body: string): ReleaseNote | undefined {
  if (!noteHint.test(body)) return undefined;
  const found = fencedNotes(unixLines(body)) ?? noteSection(body) ?? [];
  const parts = found
    .filter((part) => !isDeclined(part))
    .map(({ label, text }) => ({ label, text: text.trim() }))
    .filter(({ text }) => text !== '');
  if (parts.length === 0) return found.some(isDeclined) ? { kind: 'none' } : undefined;
  return parts.every(({ text }) => isWordForNothing(text)) ? { kind: 'none' } : { kind: 'text', parts };
}

function isDeclined({ label }: NotePart): boolean {
  return label.toLowerCase() === 'none';
}

/** Returns the text of the release note section. Returns undefined if the section contains only checkboxes. */
function noteSection(body: string): NotePart[] | undefined {
  const text = sectionUnder(body, noteHeading);
  const isList = text.split('\n').every((line) => line.trim() === '' || /^\s*[-*+] \[[ xX]\]/.test(line));
  return isList ? undefined : [{ label: '', text }];
}

/**
 * Returns the `release-note` blocks that are not empty. Some projects write one block for each change. If all blocks are
 * empty, returns the first block.
 */
function fencedNotes(body: string): NotePart[] | undefined {
  const found: NotePart[] = [];
  const lines = body.split('\n');
  /** Index of the first line of the block that is being read. */
  let start = -1;
  let label = '';
  for (const [index, line] of lines.entries()) {
    if (start === -1) {
      const opening = noteFence.exec(line);
      if (opening) [start, label] = [index + 1, opening[1] ?? ''];
    } else if (fenceEnd.test(line)) {
      found.push({ label, text: lines.slice(start, index).join('\n') });
      start = -1;
    }
  }
  const stated = found.filter(({ text }) => !isNothing(text));
  return stated.length > 0 ? stated : found[0] && [found[0]];
}

/** Whether a text contains no words, or only a phrase such as `none` or `n/a`. */
export function isWordForNothing(text: string): boolean {
  const first = text.search(word);
  return first === -1 || nothing.test(text.slice(first));
}

/**
 * Whether a text says nothing. Such a text has no words, or only a phrase such as `none`, or only checkboxes of a
 * template.
 */
function isNothing(text: string): boolean {
  return isWordForNothing(text) || text.split('\n').every((line) => line.trim() === '' || askingBox.test(line));
}

/**
 * Returns the first section with a matching heading and some text. The section ends at a footer, or at the next heading
 * of the same or a higher level.
 */
function sectionUnder(body: string, wanted: RegExp): string {
  const parts = partsOf(withoutComments(body));
  for (const [index, part] of parts.entries()) {
    if (!wanted.test(part.heading)) continue;
    let end = index + 1;
    while (end < parts.length && (parts[end] as Part).depth > part.depth) end += 1;
    const inside = parts.slice(index + 1, end);
    const lines = [...part.lines, ...inside.flatMap((deeper) => [`**${deeper.heading}**`, ...deeper.lines])];
    const kept = withoutNote(lines);
    // A release note may itself be a list of such lines: `* fix: …`.
    const isList = wanted === noteHeading && squashed.test(kept.find((line) => line.trim() !== '') ?? '');
    const text = untilFooter(kept, isList).join('\n').trim();
    if (!isNothing(text)) return text;
  }
  return '';
}

/**
 * Removes a release note from a section. The note is quoted separately, and must not appear again in the section around
 * it.
 */
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

/**
 * Reads a heading. A line that is entirely bold counts as a heading of the deepest level, because many templates use
 * such lines as headings.
 */
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

/** Returns the lines before a footer or before a list of squashed commits, unless `isList` says that they are wanted. */
function untilFooter(lines: string[], isList = false): string[] {
  let fenced = false;
  const end = lines.findIndex((line) => {
    if (/^ {0,3}(?:`{3,}(?=[^`]*$)|~{3,})/.test(line)) fenced = !fenced;
    return !fenced && (footer.test(line) || closing.test(line) || (!isList && squashed.test(line)));
  });
  return end === -1 ? lines : lines.slice(0, end);
}
