/**
 * The draft for engineers: every change of the range, with numbers, authors and what to do about what breaks.
 */
import { compareUrl } from '../../compare-url.ts';
import type { DependencyUpdate } from '../dependencies.ts';
import type { Entry, Notes, RevertEntry } from '../entries.ts';
import { escapeText } from '../escape.ts';
import { highlightLines } from '../highlights.ts';
import { areaPrefix, byArea, commitLine, document, marker, numberLink, personLink, section } from '../markdown.ts';
import { quoteLines } from '../quote.ts';
import { quotedTitle } from '../reverts.ts';
import { parseTitle } from '../title.ts';

/** The engineer's draft. */
export function engineer(notes: Notes): string {
  const { entries, source } = notes;
  const { origin, url } = source.repository;
  const of = (name: Entry['section']): string[] =>
    byArea(
      entries.filter((entry) => entry.section === name),
      (entry, prefix) => entryLine(entry, prefix, origin),
    );
  const body = [
    section('Highlights', highlightLines(notes)),
    section('Breaking Changes', breakingLines(notes)),
    section('Features', of('feature')),
    section('Bug Fixes', of('fix')),
    section('Security', of('security')),
    section('Performance', of('performance')),
    section('Documentation', of('documentation')),
    section('Other Changes', of('other')),
    section(
      'Reverted',
      notes.reverted.map((entry) => revertLine(entry)),
    ),
    section(
      'Closed Issues',
      notes.closedIssues.map(
        (issue) => `- ${escapeText(issue.title)} (${numberLink(issue)}) ${marker('issue', issue.number)}`,
      ),
    ),
    section(
      'Direct Commits',
      notes.directCommits.map((commit) => commitLine(url, commit)),
    ),
    section('Dependencies', updateLines(notes.updates)),
  ].filter((text) => text !== '');
  return document(body.length === 0 ? [] : [...body, ...closing(notes)]);
}

/** Breaking changes are never divided by area: each carries its steps, quoted from the body. */
function breakingLines({ entries, source }: Notes): string[] {
  return entries
    .filter((entry) => entry.breaking)
    .flatMap((entry) => {
      const line = entryLine(entry, areaPrefix(entry), source.repository.origin);
      const steps = quoteLines(entry.upgrade, 'comment').map((text) => `  > ${text}`.trimEnd());
      return steps.length === 0 ? [line] : [line, '', ...steps, ''];
    });
}

function entryLine(entry: Entry, prefix: string, origin: string): string {
  const people = entry.people.map((login) => personLink(origin, login)).join(', ');
  const parts = [
    `- ${prefix}${escapeText(entry.text) || 'Untitled'}`,
    entry.besides === null ? '' : `(${entry.besides})`,
    `(${numbers(entry)})`,
    entry.issues.length === 0 ? '' : `(fixes ${entry.issues.map(numberLink).join(', ')})`,
    people === '' ? '' : `— ${people}`,
    marker('pr', entry.id),
  ];
  return parts.filter((part) => part !== '').join(' ');
}

function numbers(entry: Entry): string {
  const backports = entry.backports.map(numberLink).join(', ');
  const restored = entry.restoredBy ? `, restored by ${numberLink(entry.restoredBy)}` : '';
  return numberLink(entry.pull) + (backports === '' ? '' : `, backported in ${backports}`) + restored;
}

/** A revert of something shipped before. */
export function revertLine({ pull, target }: RevertEntry): string {
  const { text } = parseTitle(pull.title);
  const title = target ? parseTitle(target.title).text : parseTitle(quotedTitle(text) ?? text).text;
  const of = target ? `, reverts ${numberLink(target)}` : '';
  return `- Reverted: ${escapeText(title)} (${numberLink(pull)}${of}) ${marker('pr', pull.number)}`;
}

function updateLines(updates: readonly DependencyUpdate[]): string[] {
  if (updates.length === 0) return [];
  const count = updates.reduce((sum, update) => sum + update.pulls.length, 0);
  const lines = updates.map((update) => {
    const [first] = update.pulls;
    const versions =
      update.to === null
        ? ''
        : `: ${update.from === null ? '' : `${escapeText(update.from)} `}→ ${escapeText(update.to)}`;
    return `- ${escapeText(update.name)}${versions} (${update.pulls.map(numberLink).join(', ')}) ${marker('pr', first?.number ?? 0)}`;
  });
  return [
    '<details>',
    `<summary>${count} ${count === 1 ? 'update' : 'updates'}</summary>`,
    '',
    ...lines,
    '',
    '</details>',
  ];
}

function closing(notes: Notes): string[] {
  const { origin, url } = notes.source.repository;
  const { type, fromTag, toTag } = notes.bounds;
  const first = notes.firstContributions.map(
    ({ login, pull }) => `- ${personLink(origin, login)} in ${numberLink(pull)}`,
  );
  const people = notes.contributors.map((login) => personLink(origin, login)).join(', ');
  return [
    section('New Contributors', first),
    section('Contributors', people === '' ? [] : [people]),
    type === 'TAG_BASED' && fromTag && toTag ? `**Full Changelog**: <${compareUrl(url, fromTag, toTag)}>` : '',
  ];
}
