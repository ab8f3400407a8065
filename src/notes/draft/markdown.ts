/**
 * Writes the Markdown that all personas share: links, headings, and lists by area. The functions escape the text
 * that they receive.
 */
import type { NotesSettings, SectionName } from '../../protocol/notes.ts';
import type { CommitRecord, IssueRecord, PullRecord } from '../../protocol/stored.ts';
import { byText } from '../change/labels.ts';
import { parseTitle } from '../change/title.ts';
import { firstLine } from '../range/attribute.ts';
import type { NotesSource } from '../range/source.ts';
import type { Entry } from './entries.ts';
import { escapeText, plainText } from './escape.ts';

/**
 * A section with at least `fewestForAreas` entries is divided by area. An area with at least `fewestForHeading` entries
 * has a heading of its own. A draft with more than `maxUnfolded` entries has collapsible parts.
 */
const fewestForAreas = 6;
const fewestForHeading = 3;
const maxUnfolded = 300;
/** The section order of the spec (part 2, rule 3), with further sections that the spec does not list. */
const order: readonly SectionName[] = [
  'breaking',
  'feature',
  'fix',
  'security',
  'performance',
  'documentation',
  'other',
  'reverted',
  'issues',
  'commits',
  'dependencies',
];

/** How references are written: with their address, or as a bare number that the host links automatically. */
export type LinkStyle = NotesSettings['links'];
const general = 'General';

/** Returns a section with its heading, or an empty text when the section has no lines. */
export function section(heading: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `## ${heading}\n\n${lines.join('\n').trimEnd()}`;
}

/**
 * Returns sections under their titles: first the sections that the settings list, then the remaining sections in the
 * order of the spec.
 */
export function inOrder(settings: NotesSettings, lines: Partial<Record<SectionName, readonly string[]>>): string[] {
  const names = [...new Set([...settings.order, ...order])];
  return names.map((name) => section(escapeText(settings.titles[name]), lines[name] ?? []));
}

/** Joins sections and leaves out empty ones. */
export function document(sections: readonly string[]): string {
  const written = sections.filter((text) => text !== '');
  return `${written.join('\n\n') || 'No changes in this range.'}\n`;
}

/** Returns a reference to a pull request or issue by its number. */
export function numberLink(
  { number, url }: Pick<PullRecord | IssueRecord, 'number' | 'url'>,
  links: LinkStyle,
): string {
  return links === 'short' ? `#${number}` : `[#${number}](${safeUrl(url)})`;
}

/** Returns several references, separated by commas. */
export function numberLinks(records: readonly (PullRecord | IssueRecord)[], links: LinkStyle): string {
  return records.map((record) => numberLink(record, links)).join(', ');
}

/**
 * Returns the references of an entry: its pull request, then what brought it into the range. A change without a pull
 * request has the link of its commit.
 * @param isLong whether to say how the change came into the range, as in `backported in #13`
 */
export function changeLinks(entry: Entry, source: NotesSource, isLong: boolean): string {
  const { repository, settings } = source;
  const { links } = settings;
  const { pull, backports, commit, restoredBy, listed, followUps, twins } = entry;
  // Most changes are one pull request.
  const isPlain = backports.length + followUps.length + twins.length === 0 && !commit && !restoredBy;
  if (pull && isPlain) return numberLink(pull, links);
  const own = pull ? [numberLink(pull, links)] : commit ? [commitLink(repository.url, commit)] : [];
  const carried = backports.map((backport) => numberLink(backport, links));
  if (pull && commit && !listed) carried.push(commitLink(repository.url, commit));
  const restored = restoredBy ? [numberLink(restoredBy, links)] : [];
  const equal = twins.map((each) => changeLinks(each, source, isLong));
  const later = followUps.map((each) => changeLinks(each, source, false));
  if (!isLong) return [...new Set([...own, ...carried, ...restored, ...equal, ...later])].join(', ');
  const by = carried.length === 0 ? '' : `, backported in ${carried.join(', ')}`;
  const again = restored.length === 0 ? '' : `, restored by ${restored.join(', ')}`;
  const more = later.length === 0 ? '' : `; follow-ups: ${later.join(', ')}`;
  return [own.join('') + by + again, ...equal].join(', ') + more;
}

/**
 * Returns the issue keys in an entry's title, each after a comma. The result is appended to the entry's numbers. Keys
 * that are equal to a number of the entry are left out.
 */
export function keyList({ keys, issues, pull, backports }: Entry): string {
  if (keys.length === 0) return '';
  const named = new Set([...(pull ? [pull] : []), ...backports, ...issues].map(({ number }) => `#${number}`));
  const more = [...new Set(keys)].filter((key) => !named.has(key));
  return more.map((key) => `, ${escapeText(key)}`).join('');
}

/**
 * Returns a person's name with a link to the profile. A handle inside a link notifies no one. Without a link, the
 * handle is written without `@`. A login is untrusted text, so its backticks are removed and it is escaped like a
 * title.
 */
export function personLink(origin: string, login: string, links: LinkStyle): string {
  const text = escapeText(plainText(login));
  if (links === 'short') return text;
  return `[@${text}](${safeUrl(`${origin}/${encodeURIComponent(login.toWellFormed())}`)})`;
}

/** Returns a line that shows a commit by its subject, without prefixes, and its short hash. */
export function commitLine(repositoryUrl: string, commit: CommitRecord): string {
  const { text, areas } = parseTitle(firstLine(commit.message));
  return `- ${areaPrefix({ areas })}${escapeText(text) || 'No subject'} (${commitLink(repositoryUrl, commit)})`;
}

function commitLink(repositoryUrl: string, { sha }: CommitRecord): string {
  const short = sha.slice(0, 7).replace(/[^\w]/g, '');
  return `[\`${short}\`](${safeUrl(`${repositoryUrl}/commit/${encodeURIComponent(sha)}`)})`;
}

const linkEnds = /[\s()<>[\]\\`"|]/g;
const endsLink = new RegExp(linkEnds.source);

/** Escapes an http(s) address, so that it cannot end the link early. Any other address becomes `#`. */
export function safeUrl(url: string): string {
  if (!/^https?:\/\//i.test(url)) return '#';
  if (!endsLink.test(url)) return url;
  return url.replaceAll(linkEnds, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
}

/** Returns the number of an entry's follow-ups in words, such as `2 follow-ups`; empty if there are none. */
export function followUpCount({ followUps: { length } }: Pick<Entry, 'followUps'>): string {
  return length === 0 ? '' : `${length} ${length === 1 ? 'follow-up' : 'follow-ups'}`;
}

/** Returns the areas of an entry as a bold prefix. */
export function areaPrefix({ areas }: Pick<Entry, 'areas'>): string {
  return areas.length === 0 ? '' : `**${areaName(areas)}:** `;
}

/**
 * Writes the entries of a section as lines. In a section with at least six entries, each area with at least three
 * entries gets a heading, in alphabetical order. All other entries follow under a general heading, or come first if
 * there are fewer than three of them (spec part 2, rule 3). A line without a heading of its area begins with the area.
 * @param folded whether to put the lines under each heading, or all lines if there are no headings, into a collapsible
 *   block. The block's summary is the number of changes
 */
export function byArea<Item extends Pick<Entry, 'areas'>>(
  entries: readonly Item[],
  line: (entry: Item, prefix: string) => string,
  folded = false,
): string[] {
  const keys = entries.map(areaKey);
  const groups = groupBy(entries, keys);
  const large = [...groups].filter(([key, group]) => key !== '' && group.length >= fewestForHeading);
  if (entries.length < fewestForAreas || large.length === 0 || groups.size < 2) {
    const lines = entries.map((entry) => line(entry, areaPrefix(entry)));
    return folded ? fold(changeCount(entries), lines) : lines;
  }
  const headed = new Set(large.map(([key]) => key));
  const rest = entries.filter((_, index) => !headed.has(keys[index] as string));
  const restLines = rest.map((entry) => line(entry, areaPrefix(entry)));
  const parts = large
    .sort(([a], [b]) => byText(a, b))
    .flatMap(([, group]) =>
      subsection(
        areaName((group[0] as Item).areas),
        group.map((entry) => line(entry, '')),
        folded,
      ),
    );
  const isGeneral = rest.length >= fewestForHeading;
  const before = isGeneral || rest.length === 0 ? [] : [...restLines, ''];
  return [...before, ...parts, ...(isGeneral ? subsection(general, restLines, folded) : [])].slice(0, -1);
}

function areaKey({ areas }: Pick<Entry, 'areas'>): string {
  const [first = ''] = areas;
  return (areas.length > 1 ? areas.join(', ') : first).toLowerCase();
}

/** Groups items by their keys, in the given order. */
function groupBy<Key, Item>(items: readonly Item[], keys: readonly Key[]): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const [index, key] of keys.entries()) {
    const item = items[index] as Item;
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** Groups entries by section, in the given order. */
export function bySection(entries: readonly Entry[]): Map<Entry['section'], Entry[]> {
  return groupBy(
    entries,
    entries.map(({ section: name }) => name),
  );
}

/** Whether a draft is so long that its longest sections are collapsed. */
export function isFolded(entries: readonly Entry[]): boolean {
  return entries.length > maxUnfolded;
}

/** Puts lines into a collapsible block with a summary. The result is empty if there are no lines. */
export function fold(summary: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  return ['<details>', `<summary>${summary}</summary>`, '', ...lines, '', '</details>'];
}

function subsection(heading: string, lines: readonly string[], folded: boolean): string[] {
  return [`### ${heading}`, '', ...(folded ? fold(changeCount(lines), lines) : lines), ''];
}

function changeCount({ length }: readonly unknown[]): string {
  return `${length} ${length === 1 ? 'change' : 'changes'}`;
}

function areaName(areas: readonly string[]): string {
  return areas.map((area) => escapeText(area)).join(', ');
}
