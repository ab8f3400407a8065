/**
 * Writes the draft for engineers: every change of the range, with numbers, authors, and upgrade steps for breaking
 * changes.
 */

import { compareUrl } from '../../../foundation/compare-url.ts';
import { markerOf } from '../../../foundation/markers.ts';
import type { DependencyUpdate } from '../../change/dependencies.ts';
import { parseTitle } from '../../change/title.ts';
import { once } from '../../range/caching-source.ts';
import { quotedTitle } from '../../range/commit-reverts.ts';
import type { RangeEnds } from '../../range/ends.ts';
import type { NotesSource } from '../../range/source.ts';
import type { Entry } from '../entries.ts';
import { escapeText, wordsOf } from '../escape.ts';
import type { Notes, RevertEntry } from '../gather.ts';
import { highlightLines } from '../highlights.ts';
import {
  areaPrefix,
  byArea,
  bySection,
  changeLinks,
  commitLine,
  document,
  fold,
  followUpCount,
  inOrder,
  isFolded,
  keyList,
  type LinkStyle,
  numberLink,
  numberLinks,
  personLink,
  safeUrl,
  section,
} from '../markdown.ts';
import { quoteLines } from '../quote.ts';
import { issueLines } from './issue-lines.ts';

/**
 * How a line refers to numbers and people. `person` caches its results, because a draft names the same few people
 * often.
 */
interface LineStyle {
  source: NotesSource;
  person: (login: string) => string;
}

/** Writes the engineer's draft. */
export function engineer(notes: Notes): string {
  const { source } = notes;
  const { links, engineer: wanted } = source.settings;
  // Without direct commits, only the breaking ones are listed.
  const entries = wanted.directCommits ? notes.entries : notes.entries.filter(isOfPull);
  const style: LineStyle = { source, person: once((login) => personLink(source.repository.origin, login, links)) };
  const folded = isFolded(entries);
  const inSection = bySection(entries);
  const of = (name: Entry['section'], fold = false): string[] =>
    byArea(inSection.get(name) ?? [], (entry, prefix) => entryLine(entry, prefix, style), fold);
  const sections = inOrder(source.settings, {
    breaking: breakingLines(inSection.get('breaking') ?? [], style),
    feature: of('feature', folded),
    fix: of('fix', folded),
    security: of('security'),
    performance: of('performance'),
    documentation: of('documentation'),
    other: of('other'),
    reverted: notes.reverted.map((entry) => revertLine(entry, links)),
    issues: wanted.closedIssues ? issueLines(notes) : [],
    commits: wanted.directCommits ? notes.insideCommits.map((commit) => commitLine(source.repository.url, commit)) : [],
    dependencies: wanted.dependencies ? updateLines(notes.updates, links) : [],
  });
  const body = [section('Highlights', highlightLines(notes)), ...sections, alreadyReleased(notes)];
  const written = body.filter((text) => text !== '');
  return document(written.length === 0 ? [] : [...written, ...closing(notes)]);
}

/**
 * Returns the lines for breaking changes. These lines are never divided by area, because each is followed by its
 * upgrade steps.
 */
function breakingLines(entries: readonly Entry[], style: LineStyle): string[] {
  return entries.flatMap((entry) => {
    const line = firstLine(entry, areaPrefix(entry), style);
    const { note, upgrade } = entry;
    const notes = note?.markdown === upgrade ? [] : noteLines(entry);
    // A release note can contain the steps, for example under a heading in bold.
    const isSaid = notes.length > 0 && note?.markdown.includes(upgrade);
    const steps = isSaid ? [] : quoteLines(upgrade, 'comment').map((text) => `  > ${text}`.trimEnd());
    const below = notes.length > 0 && steps.length > 0 ? [...notes, '  >', ...steps] : [...notes, ...steps];
    return below.length === 0 ? [line] : [line, '', ...below, ''];
  });
}

function isOfPull({ pull, backports, breaking }: Entry): boolean {
  return breaking || pull !== null || backports.length > 0;
}

function entryLine(entry: Entry, prefix: string, style: LineStyle): string {
  const notes = entry.breaking ? [] : noteLines(entry);
  return [firstLine(entry, prefix, style), ...notes].join('\n');
}

function firstLine(entry: Entry, prefix: string, { source, person }: LineStyle): string {
  const [author = ''] = entry.people;
  const people = entry.people.length > 1 ? entry.people.map(person).join(', ') : author && person(author);
  const text = escapeText(entry.text) || 'Untitled';
  const besides = entry.besides === null ? '' : ` (${entry.besides})`;
  const fixes = entry.issues.length === 0 ? '' : ` (fixes ${numberLinks(entry.issues, source.settings.links)})`;
  const by = people === '' ? '' : ` — ${people}`;
  const later = followUpCount(entry);
  const more = later === '' ? '' : ` and ${later}`;
  const numbers = changeLinks(entry, source, true);
  return `- ${prefix}${text}${more}${besides} (${numbers}${keyList(entry)})${fixes}${by} ${markerOf(entry.marker)}`;
}

/** Returns the release note below the title, unless it repeats the title. */
function noteLines({ note, text }: Entry): string[] {
  if (!note || wordsOf(note.markdown) === wordsOf(text)) return [];
  return quoteLines(note.markdown, 'comment').map((line) => `  > ${line}`.trimEnd());
}

/** Returns the line for a revert of a change that was shipped before. */
export function revertLine({ pull, target, tag, isPartial }: RevertEntry, links: LinkStyle): string {
  const { text } = parseTitle(pull.title);
  const title = target
    ? parseTitle(target.title).text
    : parseTitle(quotedTitle(text) ?? text.replace(/^revert(?:s|ed)?:? (?=\S)/i, '')).text;
  const shipped = tag === undefined ? '' : `, shipped in ${escapeText(tag)}`;
  const of = target ? `${numberLink(target, links)}${shipped}, reverted in ` : '';
  const verb = isPartial ? 'Reverted in part' : 'Reverted';
  return `- ${verb}: ${escapeText(title) || 'Untitled'} (${of}${numberLink(pull, links)}) ${markerOf(`pr:${pull.number}`)}`;
}

function updateLines(updates: readonly DependencyUpdate[], links: LinkStyle): string[] {
  const count = updates.reduce((sum, update) => sum + update.pulls.length, 0);
  const lines = updates.map((update) => {
    const from = update.from === null ? '' : `: ${escapeText(update.from)}`;
    const versions = update.to === null ? '' : `${from} → ${escapeText(update.to)}`;
    const name = escapeText(update.name) || 'Untitled';
    return `- ${name}${versions} (${numberLinks(update.pulls, links)}) ${markerOf(`pr:${update.pulls[0]?.number ?? 0}`)}`;
  });
  return fold(`${count} ${count === 1 ? 'update' : 'updates'}`, lines);
}

/**
 * Lists changes that a backport or another commit had already brought into the tag at the beginning of the range. These
 * changes are not announced again, but they are not hidden either.
 */
function alreadyReleased({ alreadyShipped, selection, source }: Notes): string {
  const { length } = alreadyShipped;
  const lines = alreadyShipped.map(
    (entry) =>
      `- ${escapeText(entry.text) || 'Untitled'} (${changeLinks(entry, source, true)}) ${markerOf(entry.marker)}`,
  );
  const tag = escapeText(selection.ends?.from?.name ?? '');
  return section('Already Released', fold(`${length} ${length === 1 ? 'change' : 'changes'} shipped in ${tag}`, lines));
}

function closing(notes: Notes): string[] {
  const { repository, settings } = notes.source;
  const { links, engineer: wanted } = settings;
  const first = notes.firstContributions.map(
    ({ login, pull }) => `- ${personLink(repository.origin, login, links)} in ${numberLink(pull, links)}`,
  );
  const people = notes.contributors.map((login) => personLink(repository.origin, login, links)).join(', ');
  return [
    section('New Contributors', wanted.newContributors ? first : []),
    section('Contributors', wanted.contributors && people !== '' ? [people] : []),
    origin(notes),
  ];
}

/** Returns a link to the host's comparison of the two ends of the range, and how the range was selected. */
function origin(notes: Notes): string {
  const { ends } = notes.selection;
  if (!ends || ends.to.name === '') return '';
  const { url } = notes.source.repository;
  const link = ends.from && `**Full Changelog**: <${safeUrl(compareUrl(url, ends.from.name, ends.to.name))}>`;
  return [...(link ? [link] : []), ...evidence(notes, ends)].join('\n\n');
}

/**
 * Returns sentences on how the range was selected. There are none if both ends are on one line and captured commits
 * connect them.
 */
function evidence({ selection, bounds }: Notes, { from, to }: RangeEnds): string[] {
  const [start, end] = [escapeText(from?.name ?? ''), escapeText(to.name)];
  if (selection.resolution === 'window') {
    if (!from) return ['Selected by merge date: captured pushes do not show the beginning of the history.'];
    const connected = bounds.type === 'UNRELEASED' ? `${start} with ${end}` : 'the two tags';
    return [`Selected by merge date: captured pushes do not connect ${connected}.`];
  }
  const diverged = `${start} is not an ancestor of ${end}. The list has the changes that ${end} contains and ${start} does not.`;
  const assumed =
    'A tagged commit is inside a push. The range assumes that it descends from the head of the branch before the push.';
  return [...(selection.diverged ? [diverged] : []), ...(selection.assumed ? [assumed] : [])];
}
