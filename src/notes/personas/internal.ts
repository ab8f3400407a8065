/**
 * The draft for colleagues in support, sales and product: what changed for whom, what was asked for, what may go wrong.
 * Documentation and work that nobody outside the project notices are counted, not listed.
 */
import { impactText } from '../body.ts';
import type { Entry, Notes } from '../entries.ts';
import { escapeText } from '../escape.ts';
import { highlightLines } from '../highlights.ts';
import { areaPrefix, byArea, document, marker, numberLink, section } from '../markdown.ts';
import { firstSentence } from '../quote.ts';
import { revertLine } from './engineer.ts';

/** The internal draft. */
export function internal(notes: Notes): string {
  const told = notes.entries.filter((entry) => !entry.housekeeping);
  const of = (name: Entry['section']): string[] =>
    byArea(
      told.filter((entry) => entry.section === name),
      entryLines,
    );
  const body = [
    section('Breaking Changes', told.filter((entry) => entry.breaking).map(breakingLines)),
    section('Highlights', highlightLines(notes)),
    section('Features', of('feature')),
    section('Bug Fixes', of('fix')),
    section('Security', of('security')),
    section('Performance', of('performance')),
    section('Other Changes', of('other')),
    section('Known Risks', riskLines(notes)),
    section(
      'Closed Issues',
      notes.closedIssues.map(
        (issue) => `- ${escapeText(issue.title)} (${numberLink(issue)}) ${marker('issue', issue.number)}`,
      ),
    ),
  ];
  return document([countsLine(notes), ...body]);
}

/** `12 features, 30 fixes, 2 breaking changes, 41 dependency updates`; empty for an empty range. */
function countsLine({ entries, updates, directCommits }: Notes): string {
  const sectionOf = (...names: Entry['section'][]): number =>
    entries.filter((entry) => names.includes(entry.section) && !entry.housekeeping).length;
  const inside = entries.filter((entry) => entry.housekeeping).length + directCommits.length;
  return [
    count(sectionOf('feature'), 'feature', 'features'),
    count(sectionOf('fix'), 'fix', 'fixes'),
    count(sectionOf('breaking'), 'breaking change', 'breaking changes'),
    count(sectionOf('security', 'performance', 'other'), 'other change', 'other changes'),
    count(sectionOf('documentation'), 'documentation change', 'documentation changes'),
    count(inside, 'internal change', 'internal changes'),
    count(updates.flatMap((update) => update.pulls).length, 'dependency update', 'dependency updates'),
  ]
    .filter((text) => text !== '')
    .join(', ');
}

function count(number: number, one: string, many: string): string {
  return number === 0 ? '' : `${number} ${number === 1 ? one : many}`;
}

function entryLines(entry: Entry, prefix: string): string {
  const numbers = [entry.pull, ...entry.backports].map(numberLink).join(', ');
  const line = `- ${prefix}${escapeText(entry.text) || 'Untitled'} (${numbers}) ${marker('pr', entry.id)}`;
  return [line, ...reportLines(entry)].join('\n');
}

/** Titles of the issues that led to the change, unless they only repeat it. */
function reportLines(entry: Entry): string[] {
  const own = entry.text.toLowerCase();
  return entry.issues
    .filter((issue) => issue.title.toLowerCase() !== own)
    .map((issue) => `  - Reported as: ${escapeText(issue.title)} (${numberLink(issue)})`);
}

/** Who is affected and what to tell them, as the body says it. */
function breakingLines(entry: Entry): string {
  const tell = firstSentence(impactText(entry.pull.body) || entry.upgrade);
  const numbers = [entry.pull, ...entry.backports].map(numberLink).join(', ');
  return [
    `- ${areaPrefix(entry)}${escapeText(entry.text) || 'Untitled'} (${numbers}) ${marker('pr', entry.id)}`,
    ...(tell === '' ? [] : [`  - What to tell: ${escapeText(tell)}`]),
    ...reportLines(entry),
  ].join('\n');
}

function riskLines(notes: Notes): string[] {
  const open = notes.openIssues.map((issue) => `- Still open: ${escapeText(issue.title)} (${numberLink(issue)})`);
  return [...notes.reverted.map(revertLine), ...open];
}
