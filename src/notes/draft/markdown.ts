/**
 * The Markdown that all personas are written in: markers, links, headings, lists by area. Text given here is escaped here.
 */
import type { NotesSettings, SectionName } from '../../protocol/notes.ts';
import type { CommitRecord, IssueRecord, PullRecord } from '../../protocol/stored.ts';
import { byText } from '../change/labels.ts';
import { firstLine } from '../range/attribute.ts';
import type { Entry } from './entries.ts';
import { escapeText, plainText } from './escape.ts';

/** From here on a section is divided by area, and from the other on its parts are folded away. */
const fewestForAreas = 6;
const mostUnfolded = 300;
/** The order of the spec (part 2, rule 3), and what stands beside it. */
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

/** How references are written: with their address, or bare where the host links them itself. */
export type LinkStyle = NotesSettings['links'];
const general = 'General';

/** Ties an entry to its pull request: edits are found again by it, and readers do not see it. */
export function marker(kind: 'pr' | 'issue', id: number): string {
  return `<!-- rn:${kind}:${id} -->`;
}

/** A section with its heading; nothing when it has no lines. */
export function section(heading: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `## ${heading}\n\n${lines.join('\n').trimEnd()}`;
}

/** Sections under their titles: those that the settings name first, then the others in the order of the spec. */
export function inOrder(settings: NotesSettings, lines: Partial<Record<SectionName, readonly string[]>>): string[] {
  const names = [...new Set([...settings.order, ...order])];
  return names.map((name) => section(escapeText(settings.titles[name]), lines[name] ?? []));
}

/** Sections one after the other, empty ones left out. */
export function document(sections: readonly string[]): string {
  const written = sections.filter((text) => text !== '');
  return `${written.join('\n\n') || 'No changes in this range.'}\n`;
}

/** A reference to a pull request or issue by its number. */
export function numberLink(
  { number, url }: Pick<PullRecord | IssueRecord, 'number' | 'url'>,
  links: LinkStyle,
): string {
  return links === 'short' ? `#${number}` : `[#${number}](${safeUrl(url)})`;
}

/** Several references, with commas. */
export function numberLinks(records: readonly (PullRecord | IssueRecord)[], links: LinkStyle): string {
  return records.map((record) => numberLink(record, links)).join(', ');
}

/** Keys of issues in the title, behind the numbers; not those that the entry names already. */
export function keyList({ keys, issues, pull, backports }: Entry): string {
  if (keys.length === 0) return '';
  const named = new Set([pull, ...backports, ...issues].map(({ number }) => `#${number}`));
  const more = [...new Set(keys)].filter((key) => !named.has(key));
  return more.map((key) => `, ${escapeText(key)}`).join('');
}

/**
 * A person with a link to their page; the handle notifies nobody inside a link, and bare it stands without its sign. A login
 * is text of the sender: it is escaped like a title, and its code marks go.
 */
export function personLink(origin: string, login: string, links: LinkStyle): string {
  const text = escapeText(plainText(login));
  if (links === 'short') return text;
  return `[@${text}](${safeUrl(`${origin}/${encodeURIComponent(login.toWellFormed())}`)})`;
}

/** A commit by its short hash and subject. */
export function commitLine(repositoryUrl: string, commit: CommitRecord): string {
  const short = commit.sha.slice(0, 7).replace(/[^\w]/g, '');
  const subject = escapeText(firstLine(commit.message)) || 'No subject';
  return `- ${subject} ([\`${short}\`](${safeUrl(`${repositoryUrl}/commit/${encodeURIComponent(commit.sha)}`)}))`;
}

const linkEnds = /[\s()<>[\]\\`"|]/g;
const endsLink = new RegExp(linkEnds.source);

/** An http(s) address that ends where the link ends. */
export function safeUrl(url: string): string {
  if (!/^https?:\/\//i.test(url)) return '#';
  if (!endsLink.test(url)) return url;
  return url.replaceAll(linkEnds, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
}

/** Areas of an entry as a bold prefix. */
export function areaPrefix({ areas }: Pick<Entry, 'areas'>): string {
  return areas.length === 0 ? '' : `**${areaName(areas)}:** `;
}

/**
 * Entries of a section as lines, each with its area before it. From six entries and two areas on, each area has a heading of
 * its own, in alphabetical order; what has none follows under a general one (spec part 2, rule 3).
 * @param folded puts each part behind a line with its count, which the reader opens
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

/** Entries by their section, in the order given. */
export function bySection(entries: readonly Entry[]): Map<Entry['section'], Entry[]> {
  const sections = new Map<Entry['section'], Entry[]>();
  for (const entry of entries) {
    const others = sections.get(entry.section);
    if (others) others.push(entry);
    else sections.set(entry.section, [entry]);
  }
  return sections;
}

/** Whether a draft is so long that its longest sections are folded. */
export function isFolded(entries: readonly Entry[]): boolean {
  return entries.length > mostUnfolded;
}

/** Lines behind a summary that the reader opens; nothing for no lines. */
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
