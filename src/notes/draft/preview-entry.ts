/**
 * Previews what the notes will say about one pull request: its entries in the draft for each persona, and the verdict
 * of the repository's release note check. The preview is cut out of real drafts, so preview and draft always agree.
 */
import { withoutMarkers } from '../../foundation/markers.ts';
import type { NoteNeed } from '../../protocol/notes.ts';
import type { NoteLine, NotePreview, NoteVerdict } from '../../protocol/pull-note.ts';
import type { IssueRecord, PullRecord } from '../../protocol/stored.ts';
import { plainWords } from '../change/labels.ts';
import { parseDraft } from '../merge/blocks.ts';
import { cachingSource } from '../range/caching-source.ts';
import type { NotesSource } from '../range/source.ts';
import { composeAll } from './compose.ts';
import { plainOf, repeats } from './data.ts';
import type { Entry } from './entries.ts';
import { explainFacts, type Verdict } from './explain.ts';
import type { Notes } from './gather.ts';

/**
 * Previews a captured pull request. A pull request that is not merged is treated as if it were merged now, and the
 * issues that it links as if they were closed by it. Returns undefined if the number is not captured.
 */
export function previewEntry(reading: NotesSource, number: number): NotePreview | undefined {
  const pull = reading.pull(number);
  if (!pull) return undefined;
  const source = asMerged(reading, pull);
  const bounds = { type: 'PR_BASED', fromPrNumber: number, toPrNumber: number } as const;
  const { notes, drafts } = composeAll(source, bounds);
  const { mayBreak: _, ...verdict } = explainFacts(notes).pulls.get(number) ?? unlisted;
  return {
    number,
    verdict: judge(notes, pull, verdict),
    ...verdict,
    lines: {
      engineer: linesOf(drafts.engineer.bodyMd),
      internal: linesOf(drafts.internal.bodyMd),
      customer: linesOf(drafts.customer.bodyMd),
    },
  };
}

const unlisted: Verdict = { included: false, reason: 'unlisted' };

/** Returns a source in which a pull request is merged. Its time is the last change of the pull request. */
function asMerged(reading: NotesSource, pull: PullRecord): NotesSource {
  const source = cachingSource(reading);
  if (pull.state === 'merged') return source;
  const mergedAt = pull.updatedAt;
  const merged: PullRecord = { ...pull, state: 'merged', mergedAt, closedAt: mergedAt };
  const own = (other: PullRecord): PullRecord => (other.number === pull.number ? merged : other);
  const closes = (issue: IssueRecord): boolean => issue.state === 'open' && pull.linkedIssues.includes(issue.number);
  return {
    ...source,
    pull: (number) => (number === pull.number ? merged : source.pull(number)),
    pullsNumbered: (from, to) => [...source.pullsNumbered(from, to)].map(own),
    issue: (number) => {
      const issue = source.issue(number);
      return issue && closes(issue) ? { ...issue, state: 'closed', closedAt: mergedAt } : issue;
    },
  };
}

/** Returns the entries of a draft with their headings. */
function linesOf(bodyMd: string): NoteLine[] {
  return parseDraft(bodyMd).flatMap(({ heading, blocks }) => {
    const title = plainOf(heading.replace(/^#{1,6} +/, ''));
    if (repeats.has(title.toLowerCase())) return [];
    const entries = blocks.filter(({ id }) => id !== null);
    return entries.map(({ lines }) => ({ heading: title, markdown: withoutMarkers(lines.join('\n')).trimEnd() }));
  });
}

/** Judges whether a pull request has everything that the repository's settings need for the notes. */
function judge(notes: Notes, pull: PullRecord, verdict: Verdict): NoteVerdict {
  const { mode, need } = notes.source.settings.noteCheck;
  if (mode === 'off') return { state: 'neutral', missing: [], message: 'Release notes are not checked.' };
  const exempt = exemption(notes.source, pull);
  if (exempt !== undefined) return { state: 'success', missing: [], message: `No release note is needed: ${exempt}.` };
  if (!verdict.included) return { state: 'success', missing: [], message: leftOutMessage(verdict) };
  const missing = need.filter((each) => notes.entries.some((entry) => lacks(entry, each, notes.source)));
  if (missing.length === 0) return { state: 'success', missing, message: 'The release notes have all they need.' };
  const message = `Missing: ${missing.map((each) => remedies[each]).join(' ')}`;
  return { state: mode === 'require' ? 'failure' : 'neutral', missing, message };
}

const remedies: Record<NoteNeed, string> = {
  type: 'the kind of the change. Add a label such as `type: fix`, or comment `/kind fix`.',
  area: 'the area of the change. Add a label such as `area: ui`, or comment `/area ui`.',
  note: 'a release note. Add one to the description, or comment `/note TEXT` or `/note none`.',
};

/** Whether an entry lacks something. Work on the project itself needs nothing. */
function lacks(entry: Entry, need: NoteNeed, { settings }: NotesSource): boolean {
  if (entry.housekeeping) return false;
  if (need === 'type') return entry.kindBy === null && entry.section === 'other';
  if (need === 'area') return entry.areas.length === 0;
  const isNeeded = settings.noteCheck.noteFor.some((section) => section === entry.section);
  return isNeeded && entry.note === null && !entry.declined;
}

/** Returns why the settings exempt a pull request from the check; undefined if they do not. */
function exemption({ settings }: NotesSource, { author, labels }: PullRecord): string | undefined {
  const { exempt } = settings.noteCheck;
  if (exempt.authors.some((login) => login.toLowerCase() === author.login.toLowerCase()))
    return 'the settings exempt its author';
  const exempted = new Set(exempt.labels.map(keyOf));
  return labels.some((label) => exempted.has(keyOf(label))) ? 'the settings exempt one of its labels' : undefined;
}

function keyOf(label: string): string {
  return plainWords(label) || label;
}

function leftOutMessage({ reason }: Verdict): string {
  if (reason === 'label') return 'A label leaves the change out of the notes.';
  if (reason === 'command') return 'A command leaves the change out of the notes.';
  return 'The notes leave the change out.';
}
