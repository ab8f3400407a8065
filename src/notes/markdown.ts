/**
 * The Markdown that all personas are written in: markers, links, headings, lists by area. Text given here is escaped here.
 */
import type { CommitRecord, IssueRecord, PullRecord } from '../protocol/stored.ts';
import { firstLine } from './attribute.ts';
import type { Entry } from './entries.ts';
import { escapeText } from './escape.ts';
import { byText } from './labels.ts';

/** From here on a section is divided by area. */
const fewestForAreas = 6;
const general = 'General';

/** Ties an entry to its pull request: edits are found again by it, and readers do not see it. */
export function marker(kind: 'pr' | 'issue', id: number): string {
  return `<!-- rn:${kind}:${id} -->`;
}

/** A section with its heading; nothing when it has no lines. */
export function section(heading: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `## ${heading}\n\n${lines.join('\n').trimEnd()}`;
}

/** Sections one after the other, empty ones left out. */
export function document(sections: readonly string[]): string {
  const written = sections.filter((text) => text !== '');
  return `${written.join('\n\n') || 'No changes in this range.'}\n`;
}

/** A link to a pull request or issue by its number. */
export function numberLink({ number, url }: Pick<PullRecord | IssueRecord, 'number' | 'url'>): string {
  return `[#${number}](${safeUrl(url)})`;
}

/** A link to a person's page; the handle notifies nobody inside a link. */
export function personLink(origin: string, login: string): string {
  return `[@${login.replace(/[\\[\]<>`*]/g, '')}](${safeUrl(`${origin}/${encodeURIComponent(login)}`)})`;
}

/** A commit by its short hash and subject. */
export function commitLine(repositoryUrl: string, commit: CommitRecord): string {
  const short = commit.sha.slice(0, 7).replace(/[^\w]/g, '');
  const subject = escapeText(firstLine(commit.message)) || 'No subject';
  return `- ${subject} ([\`${short}\`](${safeUrl(`${repositoryUrl}/commit/${encodeURIComponent(commit.sha)}`)}))`;
}

/** An http(s) address that ends where the link ends. */
export function safeUrl(url: string): string {
  if (!/^https?:\/\//i.test(url)) return '#';
  return url.replace(
    /[\s()<>[\]\\`"|]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}

/** Areas of an entry as a bold prefix. */
export function areaPrefix({ areas }: Pick<Entry, 'areas'>): string {
  return areas.length === 0 ? '' : `**${areaName(areas)}:** `;
}

/**
 * Entries of a section as lines, each with its area before it. From six entries on, where two areas have several, those get
 * a heading of their own, in alphabetical order; the rest follows under a general one (spec part 2, rule 3).
 */
export function byArea(entries: readonly Entry[], line: (entry: Entry, prefix: string) => string): string[] {
  const groups = new Map<string, Entry[]>();
  for (const entry of entries) {
    const key = entry.areas.join(', ').toLowerCase();
    groups.set(key, [...(groups.get(key) ?? []), entry]);
  }
  const grouped = [...groups].filter(([key, group]) => key !== '' && group.length > 1);
  if (entries.length < fewestForAreas || grouped.length < 2) {
    return entries.map((entry) => line(entry, areaPrefix(entry)));
  }
  const lines = grouped
    .sort(([a], [b]) => byText(a, b))
    .flatMap(([, group]) =>
      subsection(
        areaName((group[0] as Entry).areas),
        group.map((entry) => line(entry, '')),
      ),
    );
  const rest = entries.filter((entry) => !grouped.some(([, group]) => group.includes(entry)));
  return [
    ...lines,
    ...subsection(
      general,
      rest.map((entry) => line(entry, areaPrefix(entry))),
    ),
  ].slice(0, -1);
}

function subsection(heading: string, lines: string[]): string[] {
  return lines.length === 0 ? [] : [`### ${heading}`, '', ...lines, ''];
}

function areaName(areas: readonly string[]): string {
  return areas.map((area) => escapeText(area)).join(', ');
}
