/**
 * Takes a pull request's title apart: the prefixes that say what kind of change it is, where, and for which branch, and
 * the text that stands in the notes. The text is put in order, never reworded (spec part 2, rule 4); escaping comes later.
 */
import type { ChangeType } from './labels.ts';

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
  /** Branch or version that a leading bracket names, as backports carry it. */
  target: string | null;
  revert: boolean;
  text: string;
}

type Meaning = ChangeType | 'housekeeping' | 'revert' | 'plain';

const words: Record<string, Meaning> = {
  feat: 'feature',
  feature: 'feature',
  fix: 'fix',
  bug: 'fix',
  bugfix: 'fix',
  hotfix: 'fix',
  security: 'security',
  perf: 'performance',
  performance: 'performance',
  docs: 'documentation',
  doc: 'documentation',
  breaking: 'breaking',
  revert: 'revert',
  chore: 'housekeeping',
  ci: 'housekeeping',
  test: 'housekeeping',
  tests: 'housekeeping',
  refactor: 'housekeeping',
  build: 'housekeeping',
  style: 'housekeeping',
  lint: 'housekeeping',
  release: 'plain',
};
const bracketWords: Record<string, Meaning> = {
  ...words,
  fixed: 'fix',
  added: 'feature',
  enhancement: 'feature',
  'breaking change': 'breaking',
  documentation: 'documentation',
};
const signs: [RegExp, Meaning][] = [
  [/^(?:✨|:sparkles:)/u, 'feature'],
  [/^(?:🐛|:bug:|🚑|:ambulance:)/u, 'fix'],
  [/^(?:⚠|:warning:|💥|:boom:)/u, 'breaking'],
  [/^(?:📖|:book:|📝|:memo:|📚|:books:)/u, 'documentation'],
  [/^(?:🔒|:lock:)/u, 'security'],
  [/^(?:⚡|:zap:|🐎|:racehorse:)/u, 'performance'],
  [/^(?:🌱|:seedling:|♻|:recycle:|🏃|:running:)/u, 'housekeeping'],
  [/^(?:🚀|:rocket:)/u, 'plain'],
];
const order: ChangeType[] = ['security', 'feature', 'fix', 'performance', 'documentation'];
/** Names that are written small even at the start of a sentence. */
const lowerNames = new Set([
  'npm',
  'npx',
  'pnpm',
  'yarn',
  'eslint',
  'tsc',
  'git',
  'kubectl',
  'curl',
  'systemd',
  'iptables',
]);
const longestTitle = 2_000;
const blanks = /\s{2,}|[^\S ]/g;
const untidyBlanks = new RegExp(blanks.source);
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
    revert: false,
    text: '',
  };
  const line = title.slice(0, longestTitle);
  let rest = (untidyBlanks.test(line) ? line.replaceAll(blanks, ' ') : line).trim();
  for (let count = 0; count < mostPrefixes; count += 1) {
    const next =
      takeBracket(rest, parsed) ?? takeSign(rest, parsed) ?? takeConventional(rest, parsed) ?? takeArea(rest, parsed);
    if (next === undefined) break;
    rest = next.trim();
  }
  parsed.text = tidy(rest);
  return parsed;
}

/** `[release-1.12]`, `(2.15)`, `[Backport 4.x]` name a branch; `[FIXED]` a kind; other brackets are part of the text. */
function takeBracket(text: string, parsed: ParsedTitle): string | undefined {
  if (!text.startsWith('[') && !text.startsWith('(')) return undefined;
  const match = /^(?:\[([^[\]]{1,60})\]|\((v?\d[\w.-]{0,30})\))\s*[:-]?\s*(?=\S)/.exec(text);
  if (!match) return undefined;
  const inside = (match[1] ?? match[2] ?? '').trim();
  const meaning = lookUp(bracketWords, inside.toLowerCase());
  if (meaning) note(meaning, parsed);
  else if (/^(?:(?:release|stable|backport)\b[\w ./-]*|v?\d+(?:\.(?:\d+|x))+[\w.-]*|v\d[\w.-]*)$/i.test(inside))
    parsed.target ??= inside;
  else return undefined;
  return text.slice(match[0].length);
}

function takeSign(text: string, parsed: ParsedTitle): string | undefined {
  if (/^[\w([]/.test(text)) return undefined;
  for (const [sign, meaning] of signs) {
    const match = sign.exec(text);
    if (!match) continue;
    note(meaning, parsed);
    return text.slice(match[0].length).replace(/^\uFE0F/, '');
  }
  return undefined;
}

function takeConventional(text: string, parsed: ParsedTitle): string | undefined {
  if (!text.includes(':')) return undefined;
  const match = /^([A-Za-z]{2,12})(?:\(([^()]{1,60})\))?(!)?: *(?=\S)/.exec(text);
  const meaning = match && lookUp(words, (match[1] as string).toLowerCase());
  if (!match || (!meaning && !match[2] && !match[3])) return undefined;
  if (meaning) note(meaning, parsed);
  if (match[3]) parsed.breaking = true;
  if (parsed.areas.length === 0) parsed.areas = scopesOf(match[2] ?? (meaning ? '' : (match[1] as string)));
  return text.slice(match[0].length);
}

function scopesOf(list: string): string[] {
  if (/^[\w./-]+$/.test(list)) return [list];
  return list
    .split(/[,;]/)
    .map((scope) => scope.trim())
    .filter((scope) => scope !== '' && !scope.startsWith('#'));
}

/** `clusterctl: Block move`: a word that is no kind of change says where. */
function takeArea(text: string, parsed: ParsedTitle): string | undefined {
  if (parsed.areas.length > 0 || !text.includes(':')) return undefined;
  const match = /^([\w@][\w./@-]{0,40}(?:, ?[\w@][\w./@-]{0,40})?): +(?=\S)/.exec(text);
  if (!match) return undefined;
  parsed.areas = (match[1] as string).split(',').map((area) => area.trim());
  parsed.looseArea = true;
  return text.slice(match[0].length);
}

function note(meaning: Meaning, parsed: ParsedTitle): void {
  if (meaning === 'housekeeping') parsed.housekeeping = true;
  else if (meaning === 'revert') parsed.revert = true;
  else if (meaning === 'breaking') parsed.breaking = true;
  if (!order.includes(meaning as ChangeType)) return;
  const type = meaning as ChangeType;
  if (parsed.type === null || order.indexOf(type) < order.indexOf(parsed.type)) parsed.type = type;
}

function lookUp(table: Record<string, Meaning>, word: string): Meaning | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined;
}

const appendedNumbers = /(?: ?\((?:[\w.-]+\/[\w.-]+)?#\d{1,10}\))+$/;

/** Without the numbers that tools append; a plain first word gets its capital, one that may be an identifier does not. */
function tidy(text: string): string {
  const bare = (text.endsWith(')') && text.replace(appendedNumbers, '').trim()) || text;
  const ended = bare.endsWith('.') && /[^.]\.$/.test(bare) ? bare.slice(0, -1) : bare;
  const first = /^[a-z]+(?=[ ,]|$)/.exec(ended)?.[0];
  return first !== undefined && !lowerNames.has(first) ? (ended[0] as string).toUpperCase() + ended.slice(1) : ended;
}

const version = String.raw`v?\d+(?:\.\d+)+[\w.+-]*`;
const releases = [
  new RegExp(`^(?:release[ds]?:? )?(?:@?[\\w./-]+@)?${version}$`, 'i'),
  /^bump(?:ed|s)? (?:the )?(?:package |project )?version(?: (?:to|from) .{1,60})?$/i,
  new RegExp(`^(?:bump(?:ed|s)?|cut|tag|publish) (?:release |to )?${version}$`, 'i'),
  new RegExp(`^prepare (?:for )?(?:the )?(?:release )?${version}(?: release)?$`, 'i'),
  new RegExp(`^prepare .{0,40}\\b(?:for|the) .{0,20}${version} (?:release|development)$`, 'i'),
];

/** What each of them begins with or holds: few titles do. */
const releaseHint = /\d\.\d|^bump/i;

/** A pull request that only makes a release: a version, or getting ready for one. */
export function isRelease({ text, areas, looseArea }: ParsedTitle): boolean {
  if ((looseArea && areas.length > 0) || !releaseHint.test(text)) return false;
  return releases.some((pattern) => pattern.test(text));
}
