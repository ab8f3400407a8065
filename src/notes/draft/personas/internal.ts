/**
 * Writes the draft for colleagues in support, sales and product: which change affects whom, which changes were
 * requested, and which may cause problems. Documentation and internal work are counted, not listed.
 */
import { markerOf } from '../../../foundation/markers.ts';
import { impactText } from '../../change/body.ts';
import { ownWords } from '../../change/dependencies.ts';
import type { NotesSource } from '../../range/source.ts';
import { isForDevelopers, isTitleForDevelopers } from '../audience.ts';
import type { Entry } from '../entries.ts';
import { escapeText, wordsOf } from '../escape.ts';
import type { Notes } from '../gather.ts';
import { highlightLines } from '../highlights.ts';
import { issueTitle } from '../issues.ts';
import {
  areaPrefix,
  byArea,
  bySection,
  changeLinks,
  document,
  followUpCount,
  inOrder,
  isFolded,
  keyList,
  type LinkStyle,
  numberLink,
  numberLinks,
  section,
} from '../markdown.ts';
import { noteText } from '../plain.ts';
import { firstSentence } from '../quote.ts';
import { revertLine } from './engineer.ts';
import { issueLines } from './issue-lines.ts';

/** Writes the internal draft. */
export function internal(notes: Notes): string {
  const { settings } = notes.source;
  const shown = notes.entries.filter((entry) => !isInside(entry));
  const folded = isFolded(notes.entries);
  const sections = bySection(shown);
  const of = (name: Entry['section'], fold = false): string[] =>
    byArea(sections.get(name) ?? [], (entry, prefix) => entryLines(entry, prefix, notes.source), fold);
  const breaking = shown.filter((entry) => entry.breaking).map((entry) => breakingLines(entry, notes.source));
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

/** Whether a change is inside work, which the draft counts and does not list. */
function isInside(entry: Entry): boolean {
  return entry.housekeeping || (entry.section !== 'documentation' && isForDevelopers(entry));
}

/**
 * Returns the line of counts, for example `12 features, 30 fixes, 2 breaking changes, 41 dependency updates`. The line
 * is empty for an empty range.
 */
function countsLine({ entries, updates, reverted, insideCommits, alreadyShipped }: Notes): string {
  const sectionOf = (...names: Entry['section'][]): number =>
    entries.filter((entry) => names.includes(entry.section) && !isInside(entry)).length;
  const inside = entries.filter(isInside).length + insideCommits.length;
  return [
    count(sectionOf('feature'), 'feature', 'features'),
    count(sectionOf('fix'), 'fix', 'fixes'),
    count(sectionOf('breaking'), 'breaking change', 'breaking changes'),
    count(sectionOf('security'), 'security update', 'security updates'),
    count(sectionOf('performance', 'other'), 'other change', 'other changes'),
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

function entryLines(entry: Entry, prefix: string, source: NotesSource): string {
  return withReports(entry, firstLine(entry, prefix, source), titleLines(entry), source.settings.links);
}

/** Returns the first line of an entry: the release note, else the title. */
function firstLine(entry: Entry, prefix: string, source: NotesSource): string {
  const numbers = changeLinks(entry, source, false) + keyList(entry);
  const later = followUpCount(entry);
  const more = later === '' ? '' : ` and ${later}`;
  const text = escapeText(noteText(entry)) || escapeText(entry.text) || 'Untitled';
  return `- ${prefix}${text}${more} (${numbers})`;
}

/** Returns the title below the release note. The result is empty if there is no release note, or if both are equal. */
function titleLines(entry: Entry): string[] {
  const note = noteText(entry);
  const title = escapeText(entry.text);
  return note === '' || title === '' || wordsOf(note) === wordsOf(entry.text) ? [] : [`  - Title: ${title}`];
}

/**
 * Returns the lines for a breaking change. The lines include the sentence of the pull request's body that says whom the
 * change affects and how.
 */
function breakingLines(entry: Entry, source: NotesSource): string {
  const impact = firstSentence(impactText(ownWords(entry.record)) || entry.upgrade);
  const line = firstLine(entry, areaPrefix(entry), source);
  const isSaid = impact === '' || ` ${wordsOf(noteText(entry))} `.includes(` ${wordsOf(impact)} `);
  const tell = isSaid ? [] : [`  - What to tell: ${escapeText(impact)}`];
  return withReports(entry, line, [...titleLines(entry), ...tell], source.settings.links);
}

/**
 * Returns the lines of an entry, with the issues that led to the change. `line` is the first line of the entry, and
 * `more` are its further lines. An issue whose title differs from the entry's text gets its own line at the end. For
 * all other issues, only the number is shown, in the first line.
 */
function withReports(entry: Entry, line: string, more: readonly string[], links: LinkStyle): string {
  if (entry.issues.length === 0) return [`${line} ${markerOf(entry.marker)}`, ...more].join('\n');
  const own = entry.text.toLowerCase();
  const titled = entry.issues.map((issue) => ({ issue, title: issueTitle(issue) }));
  const repeats = ({ title }: { title: string }): boolean =>
    title.toLowerCase() === own || (/[:\]] $/.test(title.slice(0, -own.length)) && title.toLowerCase().endsWith(own));
  const bare = titled.filter(repeats).map(({ issue }) => issue);
  const reports = titled
    .filter((each) => !repeats(each))
    .map(({ issue, title }) => `  - Reported as: ${escapeText(title)} (${numberLink(issue, links)})`);
  const reported = bare.length === 0 ? '' : ` (reported in ${numberLinks(bare, links)})`;
  return [`${line}${reported} ${markerOf(entry.marker)}`, ...more, ...reports].join('\n');
}

function riskLines({ openIssues, reverted, source }: Notes): string[] {
  const { links } = source.settings;
  const open = openIssues().map(
    (issue) => `- Still open: ${escapeText(issueTitle(issue))} (${numberLink(issue, links)})`,
  );
  // Users do not notice the revert of inside work.
  const risky = reverted.filter(({ target }) => !target || !isTitleForDevelopers(target.title));
  return [...risky.map((entry) => revertLine(entry, links)), ...open];
}
