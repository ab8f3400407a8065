/**
 * Names the places of changes. An area that is written in two ways is one place, a lead phrase that recurs in the
 * history is an area, and a label can give an area its display name.
 */
import type { PullRecord } from '../../protocol/stored.ts';
import { distinctAreas, plainWords, type Vocabulary } from '../change/labels.ts';
import { parseTitle } from '../change/title.ts';
import type { NotesSource } from '../range/source.ts';
import { isForDevelopers } from './audience.ts';
import { distinctIssues, type Entry } from './entries.ts';

/** Number of pull requests, up to the newest of the range, in which a lead phrase is counted. */
export const countedPulls = 2_000;
export const fewestRepetitions = 3;
/** A feature with at least this many later changes under its lead phrase is one line with a count. */
const fewestFollowUps = 3;
/** Matches two or three words before a colon, as in `In-place updates: Add a hook`. */
const lead = /^((?:[\p{L}\p{N}][\p{L}\p{N}./+&_-]{0,30} ){1,2}[\p{L}\p{N}][\p{L}\p{N}./+&_-]{0,30}): +(?=\S)/u;

/** The lead phrases of the entries of a range, in lower case. */
export interface LeadPhrases {
  all: ReadonlySet<string>;
  /** Phrases that recur in the history and are areas. */
  recurring: ReadonlySet<string>;
  /** The highest number of a pull request with an entry. Phrases are counted up to this number. */
  last: number;
}

/** Gives each entry the names of its places, and returns the entries with follow-ups joined to their feature. */
export function placed(
  source: NotesSource,
  vocabulary: Vocabulary,
  entries: readonly Entry[],
): { entries: Entry[]; leads: LeadPhrases } {
  const last = entries.reduce((newest, { pull }) => Math.max(newest, pull?.number ?? 0), 0);
  const found = leadPhrasesOf(entries);
  const all = new Set(found.values());
  const phrases = takeRecurring(source, found, all, last);
  const known = new Set<string>();
  for (const { areas } of entries) for (const area of areas) known.add(area.toLowerCase());
  const nameOf = (area: string): string => displayName(vocabulary, shortName(area, known));
  for (const entry of entries) {
    if (entry.areas.some((area) => nameOf(area) !== area)) entry.areas = distinctAreas(entry.areas.map(nameOf));
  }
  const separate = phrases.size === 0 ? [...entries] : withFollowUps(entries, phrases);
  return { entries: separate, leads: { all, recurring: new Set(phrases.values()), last } };
}

/** Returns the last part of a path if other changes use it alone: `web/ui` is `ui`. */
function shortName(area: string, known: ReadonlySet<string>): string {
  if (!area.includes('/')) return area;
  const last = area.slice(area.lastIndexOf('/') + 1);
  return last !== '' && known.has(last.toLowerCase()) ? last : area;
}

/** Returns the name that the settings give an area: the area of the label that is spelled like it, or like `area: it`. */
function displayName({ meanings }: Vocabulary, area: string): string {
  if (meanings.size === 0) return area;
  const key = plainWords(area);
  return (meanings.get(key) ?? meanings.get(`area ${key}`) ?? meanings.get(`scope ${key}`))?.area ?? area;
}

/** Returns the lead phrases of entries without an area, in lower case. */
function leadPhrasesOf(entries: readonly Entry[]): Map<Entry, string> {
  const found = new Map<Entry, string>();
  for (const entry of entries) {
    const phrase = entry.areas.length === 0 ? lead.exec(entry.text)?.[1] : undefined;
    if (phrase !== undefined) found.set(entry, phrase.toLowerCase());
  }
  return found;
}

/** Makes lead phrases that recur in the history areas. Returns the entries with such a phrase. */
function takeRecurring(
  source: NotesSource,
  found: Map<Entry, string>,
  all: ReadonlySet<string>,
  last: number,
): Map<Entry, string> {
  if (found.size === 0) return found;
  const counts = countLeadPhrases(source, all, last);
  for (const [entry, phrase] of found) {
    if ((counts.get(phrase) ?? 0) < fewestRepetitions) found.delete(entry);
    else takePhrase(entry);
  }
  return found;
}

function takePhrase(entry: Entry): void {
  const [all = '', phrase = ''] = lead.exec(entry.text) ?? [];
  const rest = entry.text.slice(all.length);
  entry.areas = [phrase];
  entry.text = rest;
}

/** Counts phrases in the titles of the newest pull requests up to the range. */
function countLeadPhrases(source: NotesSource, wanted: ReadonlySet<string>, last: number): Map<string, number> {
  const counts = new Map<string, number>();
  for (const pull of source.pullsNumbered(Math.max(1, last - countedPulls), last)) {
    const phrase = leadPhraseOf(pull);
    if (phrase !== undefined && wanted.has(phrase)) counts.set(phrase, (counts.get(phrase) ?? 0) + 1);
  }
  return counts;
}

/** Returns the lead phrase of a merged pull request, in lower case; undefined if its title has none. */
export function leadPhraseOf({ title, state }: PullRecord): string | undefined {
  if (state !== 'merged' || !title.includes(': ')) return undefined;
  return lead.exec(parseTitle(title).text)?.[1]?.toLowerCase();
}

/**
 * Joins later changes under the lead phrase of a feature to the feature. Breaking and security changes stay apart. A
 * feature that the draft for customers leaves out gets no follow-ups, because they would be left out with it.
 */
function withFollowUps(entries: readonly Entry[], phrases: ReadonlyMap<Entry, string>): Entry[] {
  const byPhrase = new Map<string, Entry[]>();
  for (const entry of entries) {
    const phrase = phrases.get(entry);
    if (phrase === undefined || entry.breaking || entry.section === 'security' || entry.note) continue;
    byPhrase.set(phrase, [...(byPhrase.get(phrase) ?? []), entry]);
  }
  const joined = new Set<Entry>();
  for (const group of byPhrase.values()) {
    const feature = group.filter(isForCustomers).sort((a, b) => a.at - b.at)[0];
    const later = feature ? group.filter((entry) => entry !== feature && entry.at >= feature.at) : [];
    if (!feature || later.length < fewestFollowUps) continue;
    feature.followUps = later;
    for (const entry of later) {
      takeIssues(feature, entry);
      joined.add(entry);
    }
  }
  return joined.size === 0 ? [...entries] : entries.filter((entry) => !joined.has(entry));
}

/** Whether an entry is a feature that the draft for customers shows. */
function isForCustomers(entry: Entry): boolean {
  return entry.section === 'feature' && !entry.declined && !isForDevelopers(entry);
}

/**
 * Joins entries with the same words for the same issue into one entry with all numbers. An entry with follow-ups stays
 * apart, because an entry inside another one has no place for them.
 */
export function joinEqual(entries: readonly Entry[]): Entry[] {
  if (!shareIssues(entries)) return [...entries];
  const first = new Map<string, Entry>();
  const kept: Entry[] = [];
  for (const entry of entries) {
    const keys = keysOf(entry);
    const known = keys.map((key) => first.get(key)).find((found) => found !== undefined);
    const same = entry.followUps.length === 0 ? known : undefined;
    const host = same ?? entry;
    for (const key of keys) if (!first.has(key)) first.set(key, host);
    if (!same) {
      kept.push(entry);
      continue;
    }
    same.twins = [...same.twins, entry];
    takeIssues(same, entry);
  }
  return kept;
}

/** Adds the issues of an entry to the entry in which it is shown. */
function takeIssues(host: Entry, { issues }: Entry): void {
  if (issues.length > 0) host.issues = distinctIssues([...host.issues, ...issues]);
}

/** Whether two entries have the same issue. This is rare, and all later work depends on it. */
function shareIssues(entries: readonly Entry[]): boolean {
  const seen = new Set<number>();
  for (const { issues } of entries) {
    for (const { number } of issues) {
      if (seen.has(number)) return true;
      seen.add(number);
    }
  }
  return false;
}

function keysOf({ section, text, issues, breaking, note }: Entry): string[] {
  if (breaking || note) return [];
  return issues.map(({ number }) => `${section}\n${number}\n${text.toLowerCase()}`);
}
