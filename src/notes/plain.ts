/**
 * Words for readers outside the project: no numbers of issues, no handles, hashes, branches or links to the repository.
 */
import type { IssueRecord } from '../protocol/stored.ts';
import type { Entry } from './entries.ts';
import { quoteLines } from './quote.ts';
import { parseTitle } from './title.ts';

const longestNote = 2_000;
const reference =
  /\s*\((?:see |part of |fix(?:es|ed)? |clos(?:es|ed)? |resolv(?:es|ed)? |refs? )?(?:[\w.-]{1,100}\/[\w.-]{1,100})?#\d{1,10}(?:, ?#\d{1,10})*\)/gi;
const bareReference = /(?:[\w.-]{1,100}\/[\w.-]{1,100})?#\d{1,10}(?!\w)|\bGH-\d{1,10}\b/g;
const hash = /\b(?=(?:[a-f]*\d){2})(?=\d*[a-f])[0-9a-f]{7,40}\b/g;
const link = /https?:\/\/[^\s)>\]]{1,2000}/gi;

/** Names that could be nothing but a branch; a plain word such as `main` also means something else. */
const branchLike = /^(?=.{0,100}[\d/_.-])[\w./-]{3,100}$/;

/** What an entry says to customers, not yet escaped: a written note, else a user's own issue title, else the title. */
export function customerText(entry: Entry): string {
  const note = entry.note?.kind === 'text' ? entry.note.text.slice(0, longestNote).replace(/\s+/g, ' ') : '';
  const told = entry.section === 'breaking' ? undefined : reportOf(entry);
  const said = [note, told ? parseTitle(told.title).text : ''].map((text) =>
    withoutInside(withoutBranches(text, entry)),
  );
  return said.find((text) => /[\p{L}\p{N}]/u.test(text)) ?? ownText(entry);
}

/** The same for several entries: an issue's title speaks for the first that closes it, the others keep their own. */
export function customerTexts(entries: readonly Entry[]): string[] {
  const said = new Set<string>();
  return entries.map((entry) => {
    const text = said.has(customerText(entry)) ? ownText(entry) : customerText(entry);
    said.add(text);
    return text;
  });
}

/** The issue that somebody else than the author reported. */
export function reportOf(entry: Entry): IssueRecord | undefined {
  return entry.issues.find(({ author }) => !author.bot && author.login !== entry.pull.author.login);
}

function ownText(entry: Entry): string {
  const text = withoutInside(withoutBranches(entry.text, entry));
  return /[\p{L}\p{N}]/u.test(text) ? text : 'Unnamed change';
}

/** The branches that the change went through are left out, with the word that led to them. */
function withoutBranches(text: string, { pull, backports }: Entry): string {
  const names = new Set([pull, ...backports].flatMap(({ baseRef, headRef }) => [baseRef, headRef]));
  let bare = text;
  for (const name of names) {
    if (name === null || !branchLike.test(name) || !bare.includes(name)) continue;
    const escaped = name.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
    const whole = `(?:\\s+(?:on|to|into|onto|from|in|for|of))?(?:\\s+the)?\\s*(?<![\\w./-])\`?${escaped}\`?(?![\\w/-])(?:\\s+branch)?`;
    bare = bare.replace(new RegExp(whole, 'gi'), '');
  }
  return bare;
}

/** Quoted Markdown for customers, line by line; code keeps its shape. */
export function customerLines(markdown: string): string[] {
  let fence = '';
  return quoteLines(markdown, 'joiner').map((line) => {
    const mark = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/.exec(line)?.[1] ?? '';
    const isMark = mark !== '' && (fence === '' || mark.startsWith(fence));
    if (isMark) fence = fence === '' ? mark : '';
    if (isMark) return line.replace(/^( *[`~]+).*/, '$1');
    if (fence !== '') return withoutNames(line).trimEnd();
    const indent = /^ */.exec(line)?.[0] ?? '';
    const bare = withoutInside(line);
    // What is left of a code span must not open a block of code.
    return bare === '' || /^[`~]{3}/.test(bare) ? '' : indent + bare;
  });
}

/** Text without numbers, handles, hashes and links; what is left reads on. */
export function withoutInside(text: string): string {
  return withoutNames(text)
    .replace(/\(\s*\)|\[\s*\]\(\s*\)|(?<!`)``(?!`)/g, '')
    .replace(/ +(?=[ .,;:)])/g, '')
    .replace(/^[\s:,;]+/, '')
    .trim();
}

function withoutNames(text: string): string {
  return text
    .replace(reference, '')
    .replace(link, '')
    .replace(bareReference, '')
    .replace(hash, '')
    .replace(/(?:\s*\((?:by|thanks to|via) @[\w-]+\)|\s+(?:by|thanks to|via) @[\w-]+$)/gi, '')
    .replace(/(?<![\w@/.])@(?=\w)(?![\w.-]{1,100}\/)/g, '');
}
