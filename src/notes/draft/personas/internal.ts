/**
 * Writes the draft for colleagues in support, sales and product: which change affects whom, which changes were
 * requested, and which may cause problems. Documentation and internal work are counted, not listed.
 */
import { impactText } from '../../change/body.ts';
import { ownWords } from '../../change/dependencies.ts';
import { type Entry, shipped } from '../entries.ts';
import { escapeText } from '../escape.ts';
import type { Notes } from '../gather.ts';
import { highlightLines } from '../highlights.ts';
import { issueTitle } from '../issues.ts';
import {
  areaPrefix,
  byArea,
  bySection,
  document,
  inOrder,
  isFolded,
  keyList,
  type LinkStyle,
  marker,
  numberLink,
  numberLinks,
  section,
} from '../markdown.ts';
import { firstSentence } from '../quote.ts';
import { revertLine } from './engineer.ts';
import { issueLines } from './issue-lines.ts';

/** Writes the internal draft. */
export function internal(notes: Notes): string {
  const { settings } = notes.source;
  const shown = notes.entries.filter((entry) => !entry.housekeeping);
  const folded = isFolded(notes.entries);
  const sections = bySection(shown);
  const of = (name: Entry['section'], fold = false): string[] =>
    byArea(sections.get(name) ?? [], (entry, prefix) => entryLines(entry, prefix, settings.links), fold);
  const breaking = shown.filter((entry) => entry.breaking).map((entry) => breakingLines(entry, settings.links));
  return document([
    countsLine(notes),
    section(escapeText(settings.titles.breaking), breaking),
    section('Highlights', highlightLines(notes)),
    ...inOrder(settings, {
      feature: of('feature', folded),
      fix: of('fix', folded),
      security: of('security'),
      performance: of('performance'),
      other: of('other'),
    }),
    section('Known Risks', settings.internal.risks ? riskLines(notes) : []),
    ...inOrder(settings, { issues: settings.internal.closedIssues ? issueLines(notes) : [] }),
  ]);
}

/**
 * Returns the line of counts, for example `12 features, 30 fixes, 2 breaking changes, 41 dependency updates`. The line
 * is empty for an empty range.
 */
function countsLine({ entries, updates, reverted, directCommits, alreadyShipped }: Notes): string {
  const sectionOf = (...names: Entry['section'][]): number =>
    entries.filter((entry) => names.includes(entry.section) && !entry.housekeeping).length;
  const inside = entries.filter((entry) => entry.housekeeping).length + directCommits.length;
  return [
    count(sectionOf('feature'), 'feature', 'features'),
    count(sectionOf('fix'), 'fix', 'fixes'),
    count(sectionOf('breaking'), 'breaking change', 'breaking changes'),
    count(sectionOf('security', 'performance', 'other'), 'other change', 'other changes'),
    count(reverted.length, 'revert', 'reverts'),
    count(sectionOf('documentation'), 'documentation change', 'documentation changes'),
    count(inside, 'internal change', 'internal changes'),
    count(updates.flatMap((update) => update.pulls).length, 'dependency update', 'dependency updates'),
    count(alreadyShipped.length, 'change released before', 'changes released before'),
  ]
    .filter((text) => text !== '')
    .join(', ');
}

function count(number: number, one: string, many: string): string {
  return number === 0 ? '' : `${number} ${number === 1 ? one : many}`;
}

function entryLines(entry: Entry, prefix: string, links: LinkStyle): string {
  return withReports(entry, titleLine(entry, prefix, links), [], links);
}

function titleLine(entry: Entry, prefix: string, links: LinkStyle): string {
  const numbers = numberLinks(numbered(entry), links) + keyList(entry);
  return `- ${prefix}${escapeText(entry.text) || 'Untitled'} (${numbers})`;
}

/**
 * Returns the lines for a breaking change. The lines include the sentence of the pull request's body that says whom the
 * change affects and how.
 */
function breakingLines(entry: Entry, links: LinkStyle): string {
  const impact = firstSentence(impactText(ownWords(entry.pull)) || entry.upgrade);
  const line = titleLine(entry, areaPrefix(entry), links);
  return withReports(entry, line, impact === '' ? [] : [`  - What to tell: ${escapeText(impact)}`], links);
}

/** Returns the pull request of an entry, its backports, and the pull request that restored the change. */
function numbered(entry: Entry): Entry['backports'] {
  return [...new Map([entry.pull, ...shipped(entry)].map((pull) => [pull.number, pull])).values()];
}

/**
 * Returns the lines of an entry, with the issues that led to the change. `line` is the first line of the entry, and
 * `more` are its further lines. An issue whose title differs from the entry's text gets its own line at the end. For
 * all other issues, only the number is shown, in the first line.
 */
function withReports(entry: Entry, line: string, more: readonly string[], links: LinkStyle): string {
  if (entry.issues.length === 0) return [`${line} ${marker('pr', entry.id)}`, ...more].join('\n');
  const own = entry.text.toLowerCase();
  const titled = entry.issues.map((issue) => ({ issue, title: issueTitle(issue) }));
  const repeats = ({ title }: { title: string }): boolean =>
    title.toLowerCase() === own || (/[:\]] $/.test(title.slice(0, -own.length)) && title.toLowerCase().endsWith(own));
  const bare = titled.filter(repeats).map(({ issue }) => issue);
  const reports = titled
    .filter((each) => !repeats(each))
    .map(({ issue, title }) => `  - Reported as: ${escapeText(title)} (${numberLink(issue, links)})`);
  const reported = bare.length === 0 ? '' : ` (reported in ${numberLinks(bare, links)})`;
  return [`${line}${reported} ${marker('pr', entry.id)}`, ...more, ...reports].join('\n');
}

function riskLines({ openIssues, reverted, source }: Notes): string[] {
  const { links } = source.settings;
  const open = openIssues().map(
    (issue) => `- Still open: ${escapeText(issueTitle(issue))} (${numberLink(issue, links)})`,
  );
  return [...reverted.map((entry) => revertLine(entry, links)), ...open];
}
