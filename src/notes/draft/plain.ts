/**
 * Words for readers outside the project: no numbers of issues, no handles, hashes, branches or links to the repository.
 */
import type { IssueRecord } from '../../protocol/stored.ts';
import { besideCode } from '../change/code-spans.ts';
import { parseTitle } from '../change/title.ts';
import type { Entry } from './entries.ts';
import { gone, mended } from './mend.ts';
import { inlineText, quoteLines } from './quote.ts';

const longestNote = 2_000;
/** Words that lead up to a number or link and go with it. */
const lead = String.raw`(?:(?:^|(?<=[\s(]))(?:see|at|in|on|from|of|to|for|with|by|and|or|via|since|after|as|fix(?:e[sd])?|close[sd]?|resolve[sd]?|refs?|part|PRs?|pull requests?|issues?|docs?:?|here:?)\s+){0,4}`;
const repository = String.raw`(?:[\w.-]{1,100}\/[\w.-]{1,100})?`;
const reference = new RegExp(
  String.raw`(?<!\s)\s*\((?:see |part of |fix(?:es|ed)? |clos(?:es|ed)? |resolv(?:es|ed)? |refs? )?${repository}#\d{1,10}(?:, ?#\d{1,10})*\)`,
  'gi',
);
/** A colour such as `#000000` and the name `C#12` refer to nothing. */
const bareReference = new RegExp(
  String.raw`${lead}(?:${repository}(?<!\b[A-Z])#[1-9]\d{0,9}(?!\w)|\bGH-\d{1,10}\b|(?<![\w./-])[\w-]{1,100}\/[\w.-]{1,100}@[0-9a-f]{7,40}(?![\w/-]))`,
  'gi',
);
/** A part of a longer name is none: `v0.0.0-20260101-abcdef123456`, a path, a UUID. */
const hash = /(?<![\w./@:#~-])(?=(?:[a-f]*\d){2})(?=\d*[a-f])[0-9a-f]{7,40}(?:\.{2,3}[0-9a-f]{7,40})?(?![\w/-]|\.\w)/g;
const address = String.raw`https?:\/\/[^\s)>\]\uFDD0-\uFDEF]{1,2000}`;
const link = new RegExp(`${lead}(${address})`, 'gi');
const handle = String.raw`@\u200D?[\w-]+(?:\[bot\])?`;
const handles = `${handle}(?:(?:, ?| and |, and )${handle}){0,9}`;
const thanks = new RegExp(
  String.raw`(?<!\s)\s*\((?:(?:reported |contributed |found )?(?:by|thanks(?: to)?|via|cc):? )?${handles}\)|(?:,|(?<!\s))\s+(?:(?:reported|contributed|found) )?(?:by|thanks to|via) ${handles}(?=[.!]?$)`,
  'gi',
);
/** Most titles hold nothing from inside: this is a fraction of the cost of looking for each. */
const mayHoldInside = /#\d|@|:\/\/|\bGH-\d|[0-9a-f]{7}/i;
/** A sentence that does nothing but lead to another place. */
const leadsAway =
  /^(?:please )?(?:see|cf\.?|refs?|related|part of|follow-?up|fix(?:es)?|closes|resolves|(?:for )?(?:more|details))\b.{0,500}(?:#\d|https?:)/i;

/** Names that could be nothing but a branch; a plain word such as `main` also means something else. */
const branchLike = /^(?=.{0,100}[\d/_.-])[\w./-]{3,100}$/;
/** A branch of this name is named as the version is: only what is called a branch is one. */
const versionLike = /^v?\d+(?:\.\d+)*$/;

/** What stands where a change has no words of its own, and must not be left out. */
const unnamed = 'Unnamed change';

/**
 * What an entry says to customers, not yet escaped: a written note, else a user's own issue title, else the title, else that
 * of any issue. Empty where none of them has words.
 */
export function customerText(entry: Entry): string {
  const told = entry.section === 'breaking' ? undefined : reportOf(entry);
  const reported = told ? parseTitle(told.title).text : '';
  const said = [noteText(entry), isTelling(reported) ? reported : ''].map((text) =>
    withoutInside(withoutBranches(text, entry)),
  );
  return said.find(hasWords) ?? ownText(entry);
}

/** What customers must act on always has words. */
export function actionText(entry: Entry): string {
  return customerText(entry) || unnamed;
}

/** A note in one line; of a list each item becomes a sentence. */
function noteText({ note }: Entry): string {
  if (note?.kind !== 'text') return '';
  const items: string[] = [];
  for (const line of note.text.slice(0, longestNote).split('\n')) {
    // A part of the note with a heading of its own, such as steps, is no part of the line.
    if (items.some(hasWords) && /^\*\*[^*]{1,201}\*\*$/.test(line)) break;
    const text = inlineText(line);
    const begins = items.length === 0 || /^\s*(?:[-*+]|\d{1,9}[.)])\s/.test(line);
    if (begins) items.push(text);
    else items.push(`${items.pop()} ${text}`.trim());
  }
  const [first = '', ...rest] = items.filter(hasWords);
  if (rest.length === 0) return besideCode(first, withoutPointers);
  const sentences = [first, ...rest].map((item) => (/[.!?:;。]$/.test(item) ? item : `${item}.`));
  return sentences.map((sentence) => besideCode(sentence, withoutPointers)).join(' ');
}

/** Sentences that only lead to another place go, where another is left. */
function withoutPointers(text: string): string {
  const sentences = text.split(/(?<=[.!?])\s+(?=\S)/);
  const kept = sentences.filter((sentence) => !leadsAway.test(sentence));
  return kept.length === 0 || kept.length === sentences.length ? text : kept.join(' ');
}

/** A single word such as “Crash” tells less than the title of the change does. */
function isTelling(text: string): boolean {
  const words = text.split(/\s+/).map(hasWords);
  return words.some((isWord, index) => isWord && words[index + 1]) || /[\u3040-\u9fff\uac00-\ud7af]{4}/u.test(text);
}

function hasWords(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}

/**
 * The same for several entries: an issue's title speaks for the first that closes it, the others keep their own. What was said
 * before is empty.
 */
export function customerTexts(entries: readonly Entry[]): string[] {
  const said = new Set<string>(['']);
  return entries.map((entry) => {
    const told = customerText(entry);
    const text = said.has(told) ? ownText(entry) : told;
    if (said.has(text)) return '';
    said.add(text);
    return text;
  });
}

/** The issue that somebody else than the author reported. */
export function reportOf(entry: Entry): IssueRecord | undefined {
  return entry.issues.find(({ author }) => !author.bot && author.login !== entry.pull.author.login);
}

function ownText(entry: Entry): string {
  const tell = (text: string): string => withoutInside(withoutBranches(text, entry));
  const own = tell(entry.text);
  if (hasWords(own)) return own;
  return entry.issues.map(({ title }) => tell(parseTitle(title).text)).find(hasWords) ?? '';
}

/** The branches that the change went through are left out, with the word that led to them. */
function withoutBranches(text: string, { pull, backports }: Entry): string {
  if (text === '') return '';
  const names = new Set([pull, ...backports].flatMap(({ baseRef, headRef }) => [baseRef, headRef]));
  let bare = text;
  for (const name of names) {
    if (name === null || !branchLike.test(name) || !bare.includes(name)) continue;
    const escaped = name.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
    const ledTo = String.raw`(?<!\s)\s+(?:on|to|into|onto|from|in|for|of)(?:\s+the)?\s+`;
    const called = String.raw`\s+branch\b`;
    const code = new RegExp(`${ledTo}\`${escaped}\`(?:${called})?|(?<!\\s)\\s*\`${escaped}\`${called}`, 'gi');
    const end = versionLike.test(name) ? called : `(?:${called})?`;
    const word = new RegExp(
      `(?:${ledTo}|(?<!\\s)(?:\\s+the)?\\s*)(?<![\\w./-])${escaped}(?![\\w/-]|\\.\\w)${end}`,
      'gi',
    );
    bare = besideCode(bare.replace(code, gone), (beside) => beside.replace(word, gone));
  }
  return bare;
}

/** The steps of a breaking change for customers; none where the note that stands before them says the same. */
export function customerSteps({ upgrade, note }: Entry, origin: string): string[] {
  return note?.kind === 'text' && note.text === upgrade ? [] : customerLines(upgrade, origin);
}

/**
 * Quoted Markdown for customers, line by line; code stays as it is.
 * @param origin web address of the host, to which no link leads; others stay, as steps need them
 */
function customerLines(markdown: string, origin: string): string[] {
  let fence = '';
  const lines = quoteLines(markdown, 'joiner').map((line) => {
    const mark = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/.exec(line)?.[1] ?? '';
    const isMark = mark !== '' && (fence === '' || mark.startsWith(fence));
    if (isMark) fence = fence === '' ? mark : '';
    if (isMark) return line.replace(/^( *[`~]+).*/, '$1');
    if (fence !== '') return line;
    const indent = /^ */.exec(line)?.[0] ?? '';
    const kept = mended(besideCode(line, (text) => besideLinks(text, origin, withoutNames)));
    // What is left of a code span must not open a block of code.
    return !/[\p{L}\p{N}|]|^(?:-{3,}|\*{3,})$/u.test(kept) || /^[`~]{3}/.test(kept) ? '' : indent + kept;
  });
  return lines.filter((line, index) => line !== '' || (index > 0 && lines[index - 1] !== ''));
}

/** Reads a text beside its links; those to the host go, with the words that led to them. */
function besideLinks(text: string, origin: string, read: (text: string) => string): string {
  const isInside = (url: string): boolean => url.toLowerCase().startsWith(origin.toLowerCase());
  return text
    .replace(/\[([^[\]]{1,300})\]\((https?:[^()\s]{1,2000})\)/gi, (all, words, url) => (isInside(url) ? words : all))
    .replace(link, (all, url) => (isInside(url) ? gone : all))
    .split(new RegExp(`(${address})`, 'i'))
    .map((piece, index) => (index % 2 === 1 ? piece : read(piece)))
    .join('');
}

/** Text without numbers, handles, hashes and links; what is left reads on. Code stays as it is. */
export function withoutInside(text: string): string {
  const bare = besideCode(text, (beside) =>
    mayHoldInside.test(beside) ? withoutNames(beside.replace(link, gone)) : beside,
  );
  return mended(bare);
}

function withoutNames(text: string): string {
  return text
    .replace(reference, gone)
    .replace(thanks, gone)
    .replace(bareReference, gone)
    .replace(hash, gone)
    .replace(/(?<![\w@/.])@\u200D?(?=\w)(?![\w.-]{1,100}\/)/g, '');
}
