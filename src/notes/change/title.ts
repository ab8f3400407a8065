/**
 * Parses a pull request's title: the prefixes that name kind, area and branch, and the text that is shown in the notes.
 * The text is tidied but never reworded (spec part 2, rule 4). Escaping is done later.
 */
import { singleBlanks } from './code-spans.ts';
import { isKey, takeLeadingKeys } from './issue-keys.ts';
import type { ChangeType } from './labels.ts';
import { isPlainWord } from './plain-words.ts';
import { type Meaning, meaningOf, signOf } from './title-words.ts';

/** The parts of a title. */
export interface ParsedTitle {
  /** The kind that a prefix names, or null. */
  type: ChangeType | null;
  /** Whether the title marks the change as breaking, for example with `!` or an emoji. No label can undo that mark. */
  breaking: boolean;
  /** Whether a prefix shows that the change is housekeeping, which is work on the project itself. */
  housekeeping: boolean;
  /** Scope of a conventional prefix, or the word before a colon. */
  areas: string[];
  /** Whether the areas come from the text before a colon. That text stays in the title when labels name the area. */
  looseArea: boolean;
  /** Branch or version in brackets, as on backports: `[release-1.12]`. */
  target: string | null;
  /** Whether a prefix says that the change concerns dependencies. */
  dependency: boolean;
  /** Keys and numbers of issues in the title's prefixes and suffixes. */
  keys: string[];
  revert: boolean;
  text: string;
}

const order: ChangeType[] = ['security', 'feature', 'fix', 'performance', 'documentation'];
const maxTitleLength = 2_000;
const untidyBlanks = /\s{2,}|[^\S ]/;
const maxPrefixes = 8;

/**
 * Parses a title. Unknown prefixes stay in the text. An unknown single word before a colon is an area, for example
 * `clusterctl` in `clusterctl: Block move`.
 */
export function parseTitle(title: string): ParsedTitle {
  const parsed: ParsedTitle = {
    type: null,
    breaking: false,
    housekeeping: false,
    areas: [],
    looseArea: false,
    target: null,
    dependency: false,
    keys: [],
    revert: false,
    text: '',
  };
  const line = title.slice(0, maxTitleLength);
  let rest = (untidyBlanks.test(line) ? singleBlanks(line) : line).trim();
  for (let count = 0; count < maxPrefixes && mayHavePrefix(rest); count += 1) {
    const next = takePrefix(rest, parsed);
    if (next === undefined) break;
    rest = next.trim();
  }
  parsed.text = tidy(takeSuffixes(rest, parsed));
  return parsed;
}

/**
 * Whether a title may have a prefix: every prefix contains or begins with one of these signs. Most titles contain none of
 * the signs and need no parsing. V8 searches faster with two expressions than with one.
 */
function mayHavePrefix(title: string): boolean {
  return prefixSign.test(title) || prefixStart.test(title);
}

const prefixSign = /[:：[(#/]/;
const prefixStart = /^(?:\W|[A-Za-z][A-Za-z0-9_]{1,15}-\d)/;

function takePrefix(text: string, parsed: ParsedTitle): string | undefined {
  return (
    takeBracket(text, parsed) ??
    takeSign(text, parsed) ??
    takeKeys(text, parsed) ??
    takeBackport(text, parsed) ??
    takeConventional(text, parsed) ??
    takeArea(text, parsed) ??
    takeBranchName(text, parsed)
  );
}

const targets =
  /^(?:(?:release|stable|backport|maint|branch)[\w ./-]*|(?:auto|manual)[ -]?(?:back-?port|cherry-?pick)[\w ./-]*|[\w./-]+ back-?port|main|master|dev|develop|trunk|v?\d+(?:\.(?:\d+|x))+[\w.-]*|v\d[\w.-]*|\d+(?:-\d+)+-stable)$/i;
const areaName = /^(?=.{2,40}$)[\p{L}@][\p{L}\p{N}./+&@_-]*(?: [\p{L}\p{N}./+&@_-]+){0,2}$/u;

const bracketed = /^(?:\[([^[\]]{1,60})\]|\(([^()]{1,60})\))\s*(?=\S)/;

/**
 * Removes a prefix in brackets. `[release-1.12]`, `(2.15)` and `[Backport 4.x]` name a branch, `[FIXED]` names a kind
 * and `[UI]` names an area.
 */
function takeBracket(text: string, parsed: ParsedTitle): string | undefined {
  if (!text.startsWith('[') && !text.startsWith('(')) return undefined;
  const match = bracketed.exec(text);
  if (!match) return undefined;
  const inside = (match[1] ?? match[2] ?? '').trim();
  const meanings = meaningsOf(inside);
  if (meanings.length > 0) for (const meaning of meanings) note(meaning, parsed);
  else if (match[1] === undefined ? /^v?\d[\w.-]{0,30}$/.test(inside) : targets.test(inside)) parsed.target ??= inside;
  else if (match[1] === undefined || isKey(inside) || !areaName.test(inside)) return undefined;
  else addLooseArea(inside, parsed);
  const rest = text.slice(match[0].length);
  // A colon can end the prefix, or begin the short name of a symbol, such as `:bug:`.
  const isSymbol = rest.startsWith(':') && (signOf(rest)?.meaning ?? 'plain') !== 'plain';
  return isSymbol ? rest : rest.replace(/^[:-]\s*(?=\S)/, '');
}

/**
 * Returns the meanings of the words in brackets. If a combination such as `CI/Build` contains an unknown word, the
 * result is empty.
 */
function meaningsOf(inside: string): Meaning[] {
  const meanings = inside.split('/').map(meaningOf);
  return meanings.every((meaning) => meaning !== undefined) ? meanings : [];
}

function addLooseArea(area: string, parsed: ParsedTitle): void {
  if (parsed.areas.length > 0 && !parsed.looseArea) return;
  parsed.areas.push(area);
  parsed.looseArea = true;
}

function takeSign(text: string, parsed: ParsedTitle): string | undefined {
  if (/^[\w([]/.test(text)) return undefined;
  const sign = signOf(text);
  if (!sign) return undefined;
  note(sign.meaning, parsed);
  return text.slice(sign.length);
}

function takeKeys(text: string, parsed: ParsedTitle): string | undefined {
  if (!/^[\w#([]/.test(text)) return undefined;
  const taken = takeLeadingKeys(text);
  if (taken) parsed.keys.push(...taken.keys);
  return taken?.rest;
}

const backport =
  /^(?:automated |automatic |manual )?(?:back-?port|cherry[- ]?pick)(?:ed)?(?: of)?(?: PR| pull request)? #\d{1,10}(?:(?:,| and)? #\d{1,10}){0,9}(?: (?:on|to|into|for|upstream)(?: branch)? [\w./-]{1,60})?(?:: ?(?=\S)| \((?=\S.*\)$))/i;

/** Removes `Automated cherry pick of #12:` or `Backport PR #12 on branch v1.x (…)` around a title. */
function takeBackport(text: string, parsed: ParsedTitle): string | undefined {
  if (!/^(?:auto|man|back|cherry)/i.test(text)) return undefined;
  const match = backport.exec(text)?.[0];
  if (match === undefined) return undefined;
  parsed.target ??= 'backport';
  return match.endsWith('(') ? text.slice(match.length, -1) : text.slice(match.length);
}

const conventional =
  /^(breaking[ -]changes?|(?:feature|bug|new) (?:request|report|feature)|[A-Za-z]{2,14})(?:(!)?[([]([^()[\]]{1,60})[)\]])?(!)?( ?[:：](?!:) *(?=\S)| +(?=\S))/i;

/** Words that no one uses as the first part of a name. They are prefixes even if no blank follows the colon. */
const neverNames = /^(?:feat|feature|fix|bugfix|hotfix|chore|refactor)$/i;

/**
 * Removes a prefix such as `feat(parser)!:`. The colon may be missing after a known kind with a scope, as in
 * `feat(parser) add x`. A word with a colon and no blank before a small letter is a name, as in `build:prod fails`.
 */
function takeConventional(text: string, parsed: ParsedTitle): string | undefined {
  if (!text.includes(':') && !text.includes('：') && !/^[a-z]{2,8}\(/i.test(text)) return undefined;
  const match = conventional.exec(text);
  if (!match) return undefined;
  const [all, word = '', early, scope, late, separator = ''] = match;
  const meaning = meaningOf(word);
  const mark = early ?? late;
  const colon = /[:：]/.test(separator);
  if (!meaning && (!colon || separator.startsWith(' ') || (!scope && !mark))) return undefined;
  if (!colon && !/^(?:feat|fix|docs|chore|refactor|perf|test|ci|build|style)$/i.test(scope ? word : ''))
    return undefined;
  const isApart = separator !== ':' || (scope ?? mark) !== undefined || neverNames.test(word);
  if (!isApart && /^[a-z\d_*-]/.test(text.slice(all.length))) return undefined;
  if (meaning) note(meaning, parsed);
  if (mark) parsed.breaking = true;
  if (parsed.areas.length === 0) addScopes(scope ?? (meaning ? '' : word), parsed);
  return text.slice(all.length);
}

function addScopes(list: string, parsed: ParsedTitle): void {
  const scopes = /^[\w./-]+$/.test(list) ? [list] : list.split(/[,;]/).map((scope) => scope.trim());
  for (const scope of scopes) {
    if (isKey(scope) || /^#\d/.test(scope)) parsed.keys.push(scope);
    else if (scope !== '') parsed.areas.push(scope);
    if (meaningOf(scope) === 'dependency') parsed.dependency = true;
  }
}

/**
 * Removes the text before a colon. If that text does not name a kind of change, it is the area, as in
 * `clusterctl: Block move`.
 */
function takeArea(text: string, parsed: ParsedTitle): string | undefined {
  if (parsed.areas.length > 0 || !text.includes(':')) return undefined;
  const match = /^([\w@][\w./@-]{0,40}(?:, ?[\w@][\w./@-]{0,40})?): +(?=\S)/.exec(text);
  if (!match) return undefined;
  const [area = ''] = match.slice(1);
  const meaning = meaningOf(area);
  if (meaning) note(meaning, parsed);
  else if (/\d/.test(area) && targets.test(area)) parsed.target ??= area;
  else for (const each of area.split(',')) addLooseArea(each.trim(), parsed);
  return text.slice(match[0].length);
}

/**
 * Removes the first part of a title that a host made from a branch name: `Feature/shop 142 add search` becomes `add
 * search`, and the key is `SHOP-142`.
 */
function takeBranchName(text: string, parsed: ParsedTitle): string | undefined {
  const match =
    /^(feat|feature|fix|bugfix|hotfix|bug|chore)\/(?:([A-Za-z][A-Za-z0-9]{1,9})[- ](\d{1,9})[-_ ]+)?([^:.]{3,200})$/i.exec(
      text,
    );
  if (!match) return undefined;
  const [, word = '', project, digits, rest = ''] = match;
  note(meaningOf(word) ?? 'plain', parsed);
  if (project !== undefined) parsed.keys.push(`${project.toUpperCase()}-${digits}`);
  return rest.includes(' ') ? rest : rest.replace(/[-_]+/g, ' ');
}

const appendedNumber = /^\((?:(?:[\w.-]+\/[\w.-]+)?#|GH-)\d{1,10}\)$/;
const appendedReference = /^[([](?:fix(?:e[sd])?|close[sd]?|resolve[sd]?|refs?|see|part of|issue):? (#\d{1,10})[)\]]$/i;
const appendedMark =
  /^[([](?:skip[ -]ci|ci[ -]skip|no[ -]ci|skip[ -]actions|(?:manual |auto(?:mated)? )?(?:back-?port|cherry-?pick)(?:ed)?(?: [^()[\]]{1,60})?|[\w.-]{1,30} back-?port)[)\]]$/i;
const appendedSecurity = /^[([]security[)\]]$/i;
const appendedBreaking = /^[([]breaking(?:[ -]change)?s?[)\]]$/i;
const appendedTarget = /^\[((?:release[-/ ])?v?\d+(?:\.(?:\d+|x))+)\]$/i;

/** Removes the bracketed parts that tools and people append to a title: numbers, keys, branches and marks. */
function takeSuffixes(text: string, parsed: ParsedTitle): string {
  let rest = text;
  for (let count = 0; count < maxPrefixes && (rest.endsWith(')') || rest.endsWith(']')); count += 1) {
    const start = Math.max(rest.lastIndexOf('('), rest.lastIndexOf('['));
    const tail = rest.slice(start);
    // Brackets right after other text are an argument or index: `rotate(X-90)`, `buffer[1.2]`.
    const isApart = /\s/.test(rest.charAt(start - 1)) || appendedNumber.test(tail);
    if (start <= 0 || !isApart || !takeAppended(tail, parsed)) break;
    rest = rest.slice(0, start).trimEnd();
  }
  return rest;
}

function takeAppended(tail: string, parsed: ParsedTitle): boolean {
  if (appendedNumber.test(tail) || appendedMark.test(tail)) return true;
  const reference = appendedReference.exec(tail)?.[1];
  const inside = tail.slice(1, -1);
  if (reference !== undefined) parsed.keys.push(reference);
  else if (isKey(inside)) parsed.keys.push(inside);
  else if (appendedBreaking.test(tail)) parsed.breaking = true;
  else if (appendedSecurity.test(tail)) note('security', parsed);
  else if (appendedTarget.test(tail)) parsed.target ??= inside;
  else return false;
  return true;
}

function note(meaning: Meaning, parsed: ParsedTitle): void {
  if (meaning === 'housekeeping') parsed.housekeeping = true;
  else if (meaning === 'revert') parsed.revert = true;
  else if (meaning === 'dependency') parsed.dependency = true;
  else if (meaning === 'backport') parsed.target ??= 'backport';
  else if (meaning === 'breaking') parsed.breaking = true;
  if (!order.includes(meaning as ChangeType)) return;
  const type = meaning as ChangeType;
  if (parsed.type === null || order.indexOf(type) < order.indexOf(parsed.type)) parsed.type = type;
}

/**
 * Capitalizes a plain first word. Any other first word may be a name or a command and keeps its case: `acme repo fork`.
 * A dot at the end is removed if it follows a word directly. The dot in `git add .` stays.
 */
function tidy(text: string): string {
  const ended = text.endsWith('.') && /[\p{L}\p{N}\p{M})\]"'”’`]\.$/u.test(text) ? text.slice(0, -1) : text;
  const first = /^[a-z]+(?:['’][a-z]+)?(?=[ ,]|$)/.exec(ended)?.[0];
  return first !== undefined && (first.length === 1 || isPlainWord(first))
    ? (ended[0] as string).toUpperCase() + ended.slice(1)
    : ended;
}
