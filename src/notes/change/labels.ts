/**
 * Reads the labels of a pull request or issue: kind of change, area, priority. The labels of the spec come first.
 * Labels that other projects use for the same meanings are also understood.
 */

import type { LabelMeaning, NotesSettings } from '../../protocol/notes.ts';

/** The kinds of change that have a section of their own. */
export type ChangeType = 'breaking' | ListedType;

/** The kinds whose sections follow the breaking changes, in the order of the sections (spec part 2, rule 3). */
export const listedTypes = ['feature', 'fix', 'security', 'performance', 'documentation'] as const;

/** One of `listedTypes`. */
export type ListedType = (typeof listedTypes)[number];

/** The meaning of a list of labels. */
export interface LabelReading {
  /** Kinds from labels of the form `type: x` (spec part 2, rule 3). */
  specTypes: Set<ChangeType>;
  /** Kinds from labels of other forms, such as `bug` or `kind: feature`. Some projects use these forms. */
  aliasTypes: Set<ChangeType>;
  areas: string[];
  priority: boolean;
  highlight: boolean;
  dependencies: boolean;
  /** The label that keeps the change out of the notes; null if the change has no such label. */
  skip: string | null;
  /** Whether a label marks work on the project itself, which users do not notice. */
  housekeeping: boolean;
}

const words: Record<ChangeType, string> = {
  breaking:
    'breaking, breaking change, breaking changes, breaking api, api breaking, bc break, bc breaking, backward incompatible, backwards incompatible, not backwards compatible, action required',
  feature: 'feature, features, feat, new feature, new features, feature request, enhancement, enhancements, added',
  fix: 'bug, bugs, bugfix, bugfixes, bug fix, bug fixes, fix, fixes, fixed, hotfix, regression',
  security: 'security, vulnerability',
  performance: 'performance, perf',
  documentation: 'documentation, docs, doc, docs only, doc only',
};
const types = new Map(
  (Object.keys(words) as ChangeType[]).flatMap((type) => words[type].split(', ').map((word) => [word, type] as const)),
);
const semver: Record<string, ChangeType> = { major: 'breaking', minor: 'feature' };
/** These words name a kind only after a leading word: `changelog - added`. */
const onlyScoped = new Set(['action required', 'added', 'fixed', 'fixes']);
const housekeeping = new Set(
  'chore, ci, test, tests, testing, refactor, refactoring, build, internal, misc internal, cleanup, style, tooling, maintenance, code quality, technical debt, tech debt, flake, failing test, not user facing'.split(
    ', ',
  ),
);
const skipped = new Set(
  'skip changelog, no changelog, no changelog needed, ignore changelog, changelog none, changelog skip, changelog ignore, changelog no, exclude from changelog, ignore for release, release note none, release notes none, release note skip, release notes skip, skip release notes, no release notes, no release note'.split(
    ', ',
  ),
);
/** Words that may precede a kind: `topic: bug fixes`, `[Type] Bug`, `C-bug`, `changelog - added`. */
const leading = /^(?:type|kind|category|topic|pr|c|t|changelog|change|release notes?|notes|impact) (?=\S)/;
const dependencies = new Set(['dependencies', 'dependency', 'deps']);
const urgent = new Set(['high', 'highest', 'critical', 'urgent', 'critical urgent', 'p0']);
const urgentAlone = new Set(['p0', 'high priority', 'priority high', 'priority highest', 'priority critical']);

/** The meanings that a repository defines for its labels. Keys are labels in the form that `keyOf` returns. */
export interface Vocabulary {
  meanings: ReadonlyMap<string, LabelMeaning>;
  excluded: ReadonlySet<string>;
  /** Caches the reading of each list of labels. A release has few different lists, and each list occurs often. */
  readings: Map<string, LabelReading>;
}

/** Makes the vocabulary from a repository's settings. It is empty for the default settings. */
export function createVocabulary({ labels, excludedLabels }: NotesSettings): Vocabulary {
  return {
    meanings: new Map(Object.entries(labels).map(([label, meaning]) => [keyOf(label), meaning])),
    excluded: new Set(excludedLabels.map(keyOf)),
    readings: new Map(),
  };
}

/**
 * Reads labels. Case, emoji, and the choice of blank, dash or underscore are ignored. If the repository defines a
 * meaning for a label, only that meaning is used.
 */
export function readLabels(labels: readonly string[], own?: Vocabulary): Readonly<LabelReading> {
  const [first = ''] = labels;
  const isOne = labels.length === 1 && !first.startsWith('[');
  const key = labels.length === 0 ? '[]' : isOne ? first : JSON.stringify(labels);
  const known = own?.readings.get(key);
  if (known) return known;
  const reading = readEach(labels, own);
  own?.readings.set(key, reading);
  return reading;
}

function readEach(labels: readonly string[], own: Vocabulary | undefined): LabelReading {
  const reading: LabelReading = {
    specTypes: new Set(),
    aliasTypes: new Set(),
    areas: [],
    priority: false,
    highlight: false,
    dependencies: false,
    skip: null,
    housekeeping: false,
  };
  for (const label of labels) {
    const key = keyOf(label);
    const meaning = own?.meanings.get(key);
    if (own?.excluded.has(key)) reading.skip ??= label;
    if (meaning) readMeaning(label, meaning, reading);
    else readLabel(label, reading);
  }
  reading.areas = distinctAreas(reading.areas);
  return reading;
}

function readMeaning(label: string, meaning: LabelMeaning, reading: LabelReading): void {
  const { type, area, priority, highlight, skip } = meaning;
  if (type === 'dependency') reading.dependencies = true;
  else if (type === 'internal') reading.housekeeping = true;
  else if (type) reading.specTypes.add(type);
  if (area) reading.areas.push(area);
  reading.priority ||= priority === true;
  reading.highlight ||= highlight === true;
  if (skip) reading.skip ??= label;
}

function readLabel(label: string, reading: LabelReading): void {
  const scoped =
    /^[^\p{L}\p{N}]*(type|kind|category|area|component|comp|module|package|pkg|scope|priority|semver)\s*[:/]\s*(.{1,100})$/iu.exec(
      label,
    );
  if (scoped) return readScoped(plainWords(scoped[1] as string), (scoped[2] as string).trim(), reading);
  // Some projects mark an area with a letter, for example `A-parser`.
  const area = /^A-(\w.{0,100})$/.exec(label)?.[1];
  if (area !== undefined) reading.areas.push(area);
  else readWords(plainWords(label), label, reading);
}

function readWords(all: string, label: string, reading: LabelReading): void {
  const value = all.replace(leading, '');
  if (skipped.has(all)) reading.skip ??= label;
  else if (all === 'highlight') reading.highlight = true;
  else if (urgentAlone.has(all)) reading.priority = true;
  else if (dependencies.has(value)) reading.dependencies = true;
  else if (housekeeping.has(value)) reading.housekeeping = true;
  else if (value !== all || !onlyScoped.has(value)) addType(value, reading.aliasTypes);
}

const areaScopes = new Set(['area', 'component', 'comp', 'module', 'package', 'pkg', 'scope']);

function readScoped(scope: string, value: string, reading: LabelReading): void {
  const words = plainWords(value);
  if (areaScopes.has(scope)) reading.areas.push(value);
  else if (scope === 'priority') reading.priority ||= urgent.has(words);
  else if (scope === 'semver') addType(`semver ${words}`, reading.aliasTypes);
  else if (dependencies.has(words)) reading.dependencies = true;
  else if (housekeeping.has(words)) reading.housekeeping = true;
  else addType(words, scope === 'type' ? reading.specTypes : reading.aliasTypes);
}

function addType(words: string, into: Set<ChangeType>): void {
  const level = /^semver (major|minor)$/.exec(words)?.[1];
  const type = level ? semver[level] : types.get(words);
  if (type) into.add(type);
}

/** Returns the key for comparing labels: the plain words of a label, or the label itself if it has no plain words. */
function keyOf(label: string): string {
  return plainWords(label) || label.trim();
}

/** Returns a text in lower case, without emoji and shortcodes, with single blanks between words. */
export function plainWords(text: string): string {
  const bare = text.replace(/:[a-z0-9_+-]{1,40}:/gi, ' ').replace(/[^\p{L}\p{N}]+/gu, ' ');
  return bare.trim().toLowerCase();
}

/** Returns each area once without regard to case, in alphabetical order. */
export function distinctAreas(areas: readonly string[]): string[] {
  if (areas.length === 0) return [];
  const [first = ''] = areas;
  if (areas.length === 1) return first.trim() === '' ? [] : [first.trim()];
  const found = new Map<string, string>();
  for (const area of [...areas].sort(byText)) {
    const name = area.trim();
    if (name && !found.has(name.toLowerCase())) found.set(name.toLowerCase(), name);
  }
  return [...found.values()].sort(byText);
}

/** Compares alphabetically without a locale: by lower case, then by code unit. */
export function byText(a: string, b: string): number {
  const [left, right] = [a.toLowerCase(), b.toLowerCase()];
  if (left !== right) return left < right ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}
