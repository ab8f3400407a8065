/**
 * Writes text for readers outside the project: no issue numbers, handles, hashes, branches or links to the repository.
 */
import type { IssueRecord } from '../../protocol/stored.ts';
import { besideCode, codeSpansIn } from '../change/code-spans.ts';
import { parseTitle } from '../change/title.ts';
import type { Entry } from './entries.ts';
import { gone, mended } from './mend.ts';
import { inlineText, quoteLines, safeAgain, sentenceEnd, settled, withoutHeading, withSameCode } from './quote.ts';

const maxNoteLength = 2_000;
/** Maximum length of a line, in characters. A longer release note is cut after a sentence. */
const maxTextLength = 300;
/** Words before a number or link. Such words are removed together with the number or link. */
const lead = String.raw`(?:(?:^|(?<=[\s(]))(?:see|at|in|on|from|of|to|for|with|by|and|or|via|since|after|as|fix(?:e[sd])?|close[sd]?|resolve[sd]?|refs?|part|PRs?|pull requests?|issues?|docs?:?|here:?)\s+){0,4}`;
const repository = String.raw`(?:[\w.-]{1,100}\/[\w.-]{1,100})?`;
const reference = new RegExp(
  String.raw`(?<!\s)\s*\((?:see |part of |fix(?:es|ed)? |clos(?:es|ed)? |resolv(?:es|ed)? |refs? )?${repository}#\d{1,10}(?:, ?#\d{1,10})*\)`,
  'gi',
);
/** Matches references without brackets. A color such as `#000000` and the name `C#12` are not references. */
const bareReference = new RegExp(
  String.raw`${lead}(?:${repository}(?<!\b[A-Z])#[1-9]\d{0,9}(?!\w)|\bGH-\d{1,10}\b|(?<=\b(?:issue|ticket|PR) )\d{3,10}(?![\w.])|(?<![\w./-])[\w-]{1,100}\/[\w.-]{1,100}@[0-9a-f]{7,40}(?![\w/-]))`,
  'gi',
);
/**
 * Matches a hash. A part of a longer name does not match. Examples of longer names are `v0.0.0-20260101-abcdef123456`,
 * a path and a UUID.
 */
const hashes = String.raw`(?<![\w./@:#~-])(?=(?:[a-f]*\d){2})(?=\d*[a-f])[0-9a-f]{7,40}(?:\.{2,3}[0-9a-f]{7,40})?(?![\w/-]|\.\w)`;
/** Words before a hash. They are removed with it if it ends a part of the text: `Bump tls to 1f3a9c2`. */
const hashLead = String.raw`(?:(?<=\s)(?:at|in|on|from|of|to|with|by|since|after|as|via|commit|revision)\s+){1,3}`;
const hash = new RegExp(String.raw`${hashLead}${hashes}(?=\s*(?:$|[,;:!?)]|\.(?:\s|$)|(?:and|or)\b))|${hashes}`, 'g');
const address = String.raw`https?:\/\/[^\s)>\]\uFDD0-\uFDEF]{1,2000}`;
const link = new RegExp(`${lead}(${address})`, 'gi');
/**
 * Matches an annotation or a decorator behind `@`: a call, a well-known name, or a name next to a word such as
 * "annotation". Any other word behind `@` may be a person, also one with a capital letter.
 */
const named = 'annotations?|attributes?|decorators?|directives?|macros?|at-rules?|property wrappers?';
const annotation = String.raw`(?:[A-Z]\w{0,60}\(|(?:Override|Deprecated|NonNull|Nullable|NotNull|SuppressWarnings|FunctionalInterface|SafeVarargs|JvmStatic|Autowired|Injectable|MainActor|media|keyframes|staticmethod|classmethod|dataclass)(?![\w-])|\w{1,60} (?:${named})\b)`;
const person = String.raw`(?<!\b(?:${named}) )@\u200D?(?!${annotation})`;
const handle = String.raw`${person}[\w-]+(?:\[bot\])?`;
const handles = `${handle}(?:(?:, ?| and |, and )${handle}){0,9}`;
/** Matches thanks in brackets, after a comma or at the end, and a sentence of thanks: `Thanks to @ada!`. */
const thanks = new RegExp(
  [
    String.raw`(?<!\s)\s*\((?:(?:reported |contributed |found )?(?:by|thanks(?: to)?|via|cc):? )?${handles}\)`,
    String.raw`(?:,|(?<!\s))\s+(?:(?:reported|contributed|found) )?(?:by|thanks to|via) ${handles}(?=[.!]?$)`,
    String.raw`(?:^|(?<=[.!?]))\s*(?:(?:many|big|special) )?(?:thanks(?: to)?|thank you,?|kudos(?: to)?) ${handles}(?: for [^.!?]{1,80})?[\s${gone}]*[.!]*(?=\s|$)`,
  ].join('|'),
  'gi',
);
const handleSign = new RegExp(String.raw`(?<![\w@/.])${person}(?=\w)(?![\w.-]{1,100}\/)`, 'g');
/**
 * Matches a text that may contain an internal reference. Most titles contain none, and this check takes a fraction of
 * the time of searching for each kind of reference.
 */
const mayHoldInside = /#\d|@|:\/\/|\bGH-\d|\b(?:issue|ticket|PR) \d|[0-9a-f]{7}/i;
/** Matches a sentence that only points to another place. */
const leadsAway =
  /^(?:please )?(?:see|cf\.?|refs?|related|part of|follow-?up|fix(?:es)?|closes|resolves|(?:for )?(?:more|details))\b.{0,500}(?:#\d|https?:)/i;

/** Matches names that can only be a branch. A plain word such as `main` also has other meanings. */
const branchLike = /^(?=.{0,100}[\d/_.-])[\w./-]{3,100}$/;
/** Matches a branch name that looks like a version. Such a name is removed only before the word "branch". */
const versionLike = /^v?\d+(?:\.\d+)*$/;

/** The text for a breaking change when none of its texts contains a word. Such a change must not be left out. */
const unnamed = 'Unnamed change';

/**
 * Returns the text of an entry for customers, not yet escaped, and its source. Four texts are tried in this order, and
 * the first text that contains words is used:
 * - the release note;
 * - for a fix, the title of an issue that a person other than the change's author reported, unless the title is a single
 *   word, a wish or a question;
 * - the entry's own title;
 * - the title of any issue of the entry.
 * The text is empty if none of these texts contains words.
 */
export function customerText(entry: Entry): { text: string; source: TextSource } {
  const report = entry.section === 'fix' ? reportOf(entry) : undefined;
  const reported = report && !isWish(report.title) ? parseTitle(report.title).text : '';
  const cleaned = (text: string): string => withoutInside(withoutBranches(text, entry));
  const note = cleaned(noteText(entry));
  if (hasWords(note)) return { text: note, source: 'note' };
  const issue = cleaned(isDescriptive(reported) ? reported : '');
  return hasWords(issue) ? { text: issue, source: 'issue' } : ownText(entry);
}

/** Where the text of a line comes from. */
export type TextSource = 'note' | 'issue' | 'title';

/** Matches a title of an issue that asks for something, and so does not say what was wrong. */
const wish =
  /^(?:please|pls|can (?:we|you|i)|could (?:we|you|i)|how (?:to|do|can)|is (?:it|there)|are there|why|what|would (?:be|like)|i (?:want|need|would|wish)|add|support|allow|feature request|request|proposal|rfc|question|consider|it would be|no (?:way|option|support|possibility) (?:to|for)|(?:ability|option|possibility|way) to|make it possible|should (?:we|it))\b|\bplease\b|[?？]\s*$/i;

/** Whether the title of an issue is a wish or a question. */
export function isWish(title: string): boolean {
  return wish.test(parseTitle(title).text) || /[?？]\s*$/.test(title);
}

/** Returns the text of a breaking change, which is never empty. */
export function actionText(entry: Entry): string {
  return customerText(entry).text || unnamed;
}

/** Returns a release note on one line. Each item of a list becomes a sentence. Fenced code is left out. */
export function noteText({ note }: Entry): string {
  if (!note) return '';
  const items: string[] = [];
  let open = '';
  for (const line of note.markdown.slice(0, maxNoteLength).split('\n')) {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1] ?? '';
    if (open !== '' || mark !== '') {
      if (open === '') open = mark;
      else if (mark.startsWith(open)) open = '';
      // A colon that only leads to the code goes with it.
      items.push((items.pop() ?? '').replace(/[:：]$/, ''));
      continue;
    }
    // If the release note contains a heading such as "Steps", the heading and the text after it are left out.
    if (items.some(hasWords) && /^\*\*[^*]{1,201}\*\*$/.test(line)) break;
    const text = inlineText(line);
    const begins = items.length === 0 || /^\s*(?:[-*+]|\d{1,9}[.)])\s/.test(line);
    if (begins) items.push(text);
    else items.push(`${items.pop()} ${text}`.trim());
  }
  const [first = '', ...rest] = items.filter(hasWords);
  if (rest.length === 0) return atSentence(besideCode(first, withoutPointers));
  const sentences = [first, ...rest].map((item) => (/[.!?:;。]$/.test(item) ? item : `${item}.`));
  return atSentence(sentences.map((sentence) => besideCode(sentence, withoutPointers)).join(' '));
}

/**
 * Cuts a long text after its last sentence that fits. A first sentence that is too long stays whole. A dot in code ends
 * no sentence.
 */
function atSentence(text: string): string {
  if (text.length <= maxTextLength) return text;
  const { spans } = codeSpansIn(text);
  const ends = [...text.matchAll(sentenceEnd)].flatMap(({ index }) =>
    spans.some(({ start, end }) => index >= start && index < end) ? [] : [index + 1],
  );
  const last = ends.filter((end) => end <= maxTextLength).at(-1) ?? ends[0];
  return last === undefined ? text : text.slice(0, last);
}

/** Removes sentences that only point to another place. A text that has only such sentences stays unchanged. */
function withoutPointers(text: string): string {
  const sentences = text.split(/(?<=[.!?])\s+(?=\S)/);
  const kept = sentences.filter((sentence) => !leadsAway.test(sentence));
  return kept.length === 0 || kept.length === sentences.length ? text : kept.join(' ');
}

/** Whether an issue title is informative. A single word such as “Crash” says less than the title of the change does. */
function isDescriptive(text: string): boolean {
  const words = text.split(/\s+/).map(hasWords);
  return words.some((isWord, index) => isWord && words[index + 1]) || /[\u3040-\u9fff\uac00-\ud7af]{4}/u.test(text);
}

function hasWords(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}

/**
 * Returns the texts of several entries. If several entries close the same issue, only the first of these entries uses
 * the issue's title. The others use their own titles. An entry whose own title was also used before gets an empty text.
 * A security update keeps a text that was used before, because its title may contain details that are not public. Its
 * title is not shown, so another entry may use the same text.
 */
export function customerTexts(entries: readonly Entry[]): { text: string; source: TextSource }[] {
  const used = new Set<string>(['']);
  return entries.map((entry) => {
    const preferred = customerText(entry);
    if (entry.section === 'security') return preferred;
    const found = used.has(preferred.text) ? ownText(entry) : preferred;
    if (used.has(found.text)) return { ...found, text: '' };
    used.add(found.text);
    return found;
  });
}

/** Returns the first issue that was reported by a person other than the author of the change. */
function reportOf(entry: Entry): IssueRecord | undefined {
  return entry.issues.find(({ author }) => !author.bot && author.login !== entry.record.author.login);
}

function ownText(entry: Entry): { text: string; source: TextSource } {
  const cleaned = (text: string): string => withoutInside(withoutBranches(text, entry));
  const own = cleaned(entry.text);
  if (hasWords(own)) return { text: own, source: 'title' };
  const text = entry.issues.map(({ title }) => cleaned(parseTitle(title).text)).find(hasWords) ?? '';
  return { text, source: 'issue' };
}

/** Removes the names of the change's branches, with the word before each name: `on release-1.2`. */
function withoutBranches(text: string, { record, backports }: Entry): string {
  if (text === '') return '';
  const names = new Set([record, ...backports].flatMap(({ baseRef, headRef }) => [baseRef, headRef]));
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
    bare = besideCode(bare.replace(code, gone), (prose) => prose.replace(word, gone));
  }
  return bare;
}

/**
 * Returns the upgrade steps that the draft for customers shows for a breaking change. The draft shows the release note
 * before the steps. So the result is empty if the steps are the same text as the release note.
 */
export function customerSteps({ upgrade, note }: Entry, origin: string): string[] {
  return note?.markdown === upgrade ? [] : customerLines(upgrade, origin);
}

/**
 * Quotes Markdown for customers, line by line. Code stays unchanged.
 * @param origin web address of the host. Links to the host are removed. Other links stay, because steps need them
 */
function customerLines(markdown: string, origin: string): string[] {
  let fence = '';
  const code = new Set<number>();
  const quoted = quoteLines(markdown, 'joiner').map((line, index) => {
    const mark = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/.exec(line)?.[1] ?? '';
    const isMark = mark !== '' && (fence === '' || mark.startsWith(fence));
    if (isMark) fence = fence === '' ? mark : '';
    if (isMark) return line.replace(/^( *[`~]+).*/, '$1');
    if (fence !== '') {
      code.add(index);
      return line;
    }
    const indent = /^ */.exec(line)?.[0] ?? '';
    const bare = mended(besideCode(line, (text) => besideLinks(text, origin, withoutNames)));
    const kept = safeAgain(withSameCode(line, codeSpansIn(line, true).spans, bare, 'joiner'), 'joiner');
    // If backticks of a code span are now at the start of the line, the line is dropped. These backticks would open a
    // code block.
    const isRule = /^(?:-{3,}|\*{3,})$/.test(kept);
    if (isRule ? kept !== line.trim() : !/[\p{L}\p{N}|]/u.test(kept) || /^[`~]{3}/.test(kept)) return '';
    return withoutHeading(indent + kept, '');
  });
  const lines = settled(quoted, code, 'joiner');
  return lines.filter((line, index) => line !== '' || (index > 0 && lines[index - 1] !== ''));
}

/**
 * Applies `read` to all text except web addresses. A Markdown link to the host is replaced by its words. A bare address
 * of the host is removed, together with the words that lead to it.
 */
function besideLinks(text: string, origin: string, read: (text: string) => string): string {
  const isInside = (url: string): boolean => url.toLowerCase().startsWith(origin.toLowerCase());
  return text
    .replace(/\[([^[\]]{1,300})\]\((https?:[^()\s]{1,2000})\)/gi, (all, words, url) => (isInside(url) ? words : all))
    .replace(link, (all, url) => (isInside(url) ? gone : all))
    .split(new RegExp(`(${address})`, 'i'))
    .map((piece, index) => (index % 2 === 1 ? piece : read(piece)))
    .join('');
}

/** Removes numbers, handles, hashes and links, and joins the text around them. Code stays unchanged. */
export function withoutInside(text: string): string {
  const bare = besideCode(text, (prose) =>
    mayHoldInside.test(prose) ? withoutNames(prose.replace(link, gone)) : prose,
  );
  return mended(bare);
}

function withoutNames(text: string): string {
  return text
    .replace(reference, gone)
    .replace(thanks, gone)
    .replace(bareReference, gone)
    .replace(hash, gone)
    .replace(handleSign, '');
}
