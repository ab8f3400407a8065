/**
 * Writes the Markdown that all personas share: markers, links, headings, and lists by area. The functions escape the
 * text that they receive.
 */
import { markerOf } from '../../foundation/markers.ts';
import type { NotesSettings, SectionName } from '../../protocol/notes.ts';
import type { CommitRecord, IssueRecord, PullRecord } from '../../protocol/stored.ts';
import { byText } from '../change/labels.ts';
import { firstLine } from '../range/attribute.ts';
import type { Entry } from './entries.ts';
import { escapeText, plainText } from './escape.ts';

/**
 * A section with at least `fewestForAreas` entries is divided by area. A draft with more than `maxUnfolded` entries has
 * collapsible parts.
 */
const fewestForAreas = 6;
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

/**
 * Returns the marker that ties an entry to its pull request or issue. Edits are matched by the marker, and readers do
 * not see it.
 */
export function marker(kind: 'pr' | 'issue', id: number): string {
  return markerOf(`${kind}:${id}`);
}

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
 * Returns the issue keys in an entry's title, each after a comma. The result is appended to the entry's numbers. Keys
 * that are equal to a number of the entry are left out.
 */
export function keyList({ keys, issues, pull, backports }: Entry): string {
  if (keys.length === 0) return '';
  const named = new Set([pull, ...backports, ...issues].map(({ number }) => `#${number}`));
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

/** Returns a line that shows a commit by its short hash and subject. */
export function commitLine(repositoryUrl: string, commit: CommitRecord): string {
  const short = commit.sha.slice(0, 7).replace(/[^\w]/g, '');
  const subject = escapeText(firstLine(commit.message)) || 'No subject';
  return `- ${subject} ([\`${short}\`](${safeUrl(`${repositoryUrl}/commit/${encodeURIComponent(commit.sha)}`)}))`;
}

const linkEnds = /[\s()<>[\]\\`"|]/g;
const endsLink = new RegExp(linkEnds.source);

/** Escapes an http(s) address, so that it cannot end the link early. Any other address becomes `#`. */
export function safeUrl(url: string): string {
  if (!/^https?:\/\//i.test(url)) return '#';
  if (!endsLink.test(url)) return url;
  return url.replaceAll(linkEnds, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
}

/** Returns the areas of an entry as a bold prefix. */
export function areaPrefix({ areas }: Pick<Entry, 'areas'>): string {
  return areas.length === 0 ? '' : `**${areaName(areas)}:** `;
}

/**
 * Writes the entries of a section as lines. With at least six entries and two areas, each area gets a heading, in
 * alphabetical order. Entries without an area follow under a general heading (spec part 2, rule 3). With fewer entries
 * or areas, there are no headings, and each line begins with the areas of its entry.
 * @param folded whether to put the lines under each heading, or all lines if there are no headings, into a collapsible
 *   block. The block's summary is the number of changes
 */
export function byArea(
  entries: readonly Entry[],
  line: (entry: Entry, prefix: string) => string,
  folded = false,
): string[] {
  const groups = new Map<string, Entry[]>();
  for (const entry of entries) {
    const [first = ''] = entry.areas;
    const key = (entry.areas.length > 1 ? entry.areas.join(', ') : first).toLowerCase();
    const group = groups.get(key);
    if (group) group.push(entry);
    else groups.set(key, [entry]);
  }
  const rest = groups.get('') ?? [];
  groups.delete('');
  if (entries.length < fewestForAreas || groups.size < 2) {
    const lines = entries.map((entry) => line(entry, areaPrefix(entry)));
    return folded ? fold(changeCount(entries), lines) : lines;
  }
  const parts = [...groups]
    .sort(([a], [b]) => byText(a, b))
    .map(([, group]): [string, Entry[]] => [areaName((group[0] as Entry).areas), group]);
  if (rest.length > 0) parts.push([general, rest]);
  return parts.flatMap(([heading, group]) => subsection(heading, group, line, folded)).slice(0, -1);
}

/** Groups entries by section, in the given order. */
export function bySection(entries: readonly Entry[]): Map<Entry['section'], Entry[]> {
  const sections = new Map<Entry['section'], Entry[]>();
  for (const entry of entries) {
    const others = sections.get(entry.section);
    if (others) others.push(entry);
    else sections.set(entry.section, [entry]);
  }
  return sections;
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

function subsection(
  heading: string,
  group: readonly Entry[],
  line: (entry: Entry, prefix: string) => string,
  folded: boolean,
): string[] {
  const lines = group.map((entry) => line(entry, ''));
  return [`### ${heading}`, '', ...(folded ? fold(changeCount(group), lines) : lines), ''];
}

function changeCount({ length }: readonly Entry[]): string {
  return `${length} ${length === 1 ? 'change' : 'changes'}`;
}

function areaName(areas: readonly string[]): string {
  return areas.map((area) => escapeText(area)).join(', ');
}
