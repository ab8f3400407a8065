/**
 * Takes a pull request's title apart: the prefixes that say what kind of change it is, where, and for which branch, and
 * the text that stands in the notes. The text is put in order, never reworded (spec part 2, rule 4); escaping comes later.
 */
import { singleBlanks } from './code-spans.ts';
import { isKey, takeLeadingKeys } from './issue-keys.ts';
import type { ChangeType } from './labels.ts';
import { isPlainWord } from './plain-words.ts';
import { type Meaning, meaningOf, signOf } from './title-words.ts';

/** A title in its parts. */
export interface ParsedTitle {
  /** Kind that a prefix names; null where none does. */
  type: ChangeType | null;
  /** Marked breaking by `!` or a sign: no label takes that back. */
  breaking: boolean;
  /** A prefix names work on the project itself. */
  housekeeping: boolean;
  /** Scope of a conventional prefix, or the word before a colon. */
  areas: string[];
  /** The areas come from a word before a colon, which stays in the text where labels name the area. */
  looseArea: boolean;
  /** Branch or version that brackets name, as backports carry it. */
  target: string | null;
  /** A prefix says that it is about what the project depends on. */
  dependency: boolean;
  /** Keys and numbers of issues that stand before or behind the words, as they are written. */
  keys: string[];
  revert: boolean;
  text: string;
}

const order: ChangeType[] = ['security', 'feature', 'fix', 'performance', 'documentation'];
const longestTitle = 2_000;
const untidyBlanks = /\s{2,}|[^\S ]/;
const mostPrefixes = 8;

/** Parses a title. Unknown prefixes stay in the text, except a single word before a colon, which is an area. */
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
  const line = title.slice(0, longestTitle);
  let rest = (untidyBlanks.test(line) ? singleBlanks(line) : line).trim();
  for (let count = 0; count < mostPrefixes && mayHavePrefix.test(rest); count += 1) {
    const next = takePrefix(rest, parsed);
    if (next === undefined) break;
    rest = next.trim();
  }
  parsed.text = tidy(takeSuffixes(rest, parsed));
  return parsed;
}

/** Every prefix holds one of these signs, or begins with one: most words do not. */
const mayHavePrefix = /[:：[(#/]|^\W|^[a-z][a-z0-9_]{1,15}-\d/i;

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

/** `[release-1.12]`, `(2.15)`, `[Backport 4.x]` name a branch; `[FIXED]` a kind; `[UI]` says where. */
function takeBracket(text: string, parsed: ParsedTitle): string | undefined {
  if (!text.startsWith('[') && !text.startsWith('(')) return undefined;
  const match = /^(?:\[([^[\]]{1,60})\]|\(([^()]{1,60})\))\s*[:-]?\s*(?=\S)/.exec(text);
  if (!match) return undefined;
  const inside = (match[1] ?? match[2] ?? '').trim();
  const meanings = meaningsOf(inside);
  if (meanings.length > 0) for (const meaning of meanings) note(meaning, parsed);
  else if (match[1] === undefined ? /^v?\d[\w.-]{0,30}$/.test(inside) : targets.test(inside)) parsed.target ??= inside;
  else if (match[1] === undefined || isKey(inside) || !areaName.test(inside)) return undefined;
  else addLooseArea(inside, parsed);
  return text.slice(match[0].length);
}

/** Of `CI/Build` both words must be known. */
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

/** `Automated cherry pick of #12: title`, `Backport PR #12 on branch v1.x (title)`. */
function takeBackport(text: string, parsed: ParsedTitle): string | undefined {
  if (!/^(?:auto|man|back|cherry)/i.test(text)) return undefined;
  const match = backport.exec(text)?.[0];
  if (match === undefined) return undefined;
  parsed.target ??= 'backport';
  return match.endsWith('(') ? text.slice(match.length, -1) : text.slice(match.length);
}

const conventional =
  /^(breaking[ -]changes?|(?:feature|bug|new) (?:request|report|feature)|[A-Za-z]{2,14})(?:(!)?[([]([^()[\]]{1,60})[)\]])?(!)?( ?[:：](?!:) *(?=\S)| +(?=\S))/i;

/** `feat(parser)!: add x`; a known kind with a scope may have lost its colon. */
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

/** `clusterctl: Block move`: a word that is no kind of change says where. */
function takeArea(text: string, parsed: ParsedTitle): string | undefined {
  if (parsed.areas.length > 0 || !text.includes(':')) return undefined;
  const match = /^([\w@][\w./@-]{0,40}(?:, ?[\w@][\w./@-]{0,40})?): +(?=\S)/.exec(text);
  if (!match) return undefined;
  const [area = ''] = match.slice(1);
  const meaning = meaningOf(area);
  if (meaning) note(meaning, parsed);
  else if (/^v?\d/.test(area) && targets.test(area)) parsed.target ??= area;
  else for (const each of area.split(',')) addLooseArea(each.trim(), parsed);
  return text.slice(match[0].length);
}

/** `Feature/shop 142 add search`, as hosts make a title of a branch's name. */
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
const appendedBreaking = /^[([]breaking(?:[ -]change)?s?[)\]]$/i;
const appendedTarget = /^\[((?:release[-/ ])?v?\d+(?:\.(?:\d+|x))+)\]$/i;

/** Without the numbers, keys, branches and marks in brackets that tools and habits append. */
function takeSuffixes(text: string, parsed: ParsedTitle): string {
  let rest = text;
  for (let count = 0; count < mostPrefixes && (rest.endsWith(')') || rest.endsWith(']')); count += 1) {
    const start = Math.max(rest.lastIndexOf('('), rest.lastIndexOf('['));
    const tail = rest.slice(start);
    // What stands right behind a word is its argument or index: `rotate(X-90)`, `buffer[1.2]`.
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
 * A plain first word gets its capital. Any other word may be a name or a command and keeps its case: `acme repo fork`. A dot
 * goes where it ends a word: `git add .` keeps its own.
 */
function tidy(text: string): string {
  const ended = /[\p{L}\p{N}\p{M})\]"'”’`]\.$/u.test(text) ? text.slice(0, -1) : text;
  const first = /^[a-z]+(?:['’][a-z]+)?(?=[ ,]|$)/.exec(ended)?.[0];
  return first !== undefined && (first.length === 1 || isPlainWord(first))
    ? (ended[0] as string).toUpperCase() + ended.slice(1)
    : ended;
}
