/**
 * Says why a draft that is generated now would have another text than the last generation. Only changes whose lines
 * differ are reasons.
 */
import { markedIn, numberAndSha } from '../../foundation/markers.ts';
import type { ConflictReason } from '../../protocol/conflicts.ts';
import { type DraftFacts, maxOutdatedReasons, type OutdatedReason } from '../../protocol/outdated.ts';
import { absentChanges } from './absent.ts';
import { type Digests, digestedParts, digester, digestLength, endShas, settingsDigest, wasReverted } from './facts.ts';
import type { Notes } from './gather.ts';

type What = OutdatedReason['what'];

/** A change by its id, and what has changed about it. */
interface Changed {
  id: string;
  what: What;
}

/** Why a change leaves a draft, by the reason that a conflict would have. All other reasons mean `removed`. */
const leaving: Partial<Record<ConflictReason, What>> = {
  reverted: 'reverted',
  reverts: 'reverted',
  label: 'label',
  command: 'command',
  author: 'settings',
  open: 'issue',
  unresolved: 'issue',
  note: 'edited',
};

/**
 * Compares the last generated text with the text that a generation gives now. Returns the reasons for the difference;
 * none if the texts are equal.
 * @param facts what the last generation was made from; undefined if an earlier version of Tidings made it
 */
export function outdatedBecause(
  notes: Notes,
  before: string,
  now: string,
  facts: DraftFacts | undefined,
): OutdatedReason[] {
  if (before === now) return [];
  const whole = facts ? wholeReasons(notes, facts) : [];
  const found = reasonsOf(changedOnes(notes, before, now, facts));
  // A change that moves within its section has the same lines as before.
  const ones = found.length > 0 || !facts ? found : reasonsOf(movedOnes(notes, now, facts));
  const reasons = [...whole, ...ones].slice(0, maxOutdatedReasons);
  return reasons.length > 0 ? reasons : [{ what: 'other' }];
}

/** Returns the reasons for changes, each once. A release note with several lines has several ids of one number. */
function reasonsOf(changes: Iterable<Changed>): OutdatedReason[] {
  const found = new Map<string, OutdatedReason>();
  for (const { id, what } of changes) {
    const { number, sha } = numberAndSha(id);
    const reason = { ...(sha === null ? { number: number as number } : { sha }), what };
    found.set(JSON.stringify(reason), reason);
  }
  return [...found.values()];
}

function* movedOnes(notes: Notes, now: string, facts: DraftFacts): Iterable<Changed> {
  const digestFor = digester(notes);
  for (const id of markedIn(now)) yield* differing(id, digestsIn(facts, id), digestFor(id));
}

/** The digests of a change at the last generation. */
interface Known extends Digests {
  /** Whether the facts contain commands. Those of earlier versions do not, so their commands count as unchanged. */
  hasCommands: boolean;
}

function digestsIn(facts: DraftFacts | undefined, id: string): Known | undefined {
  const mark = facts?.marks[id];
  return mark === undefined ? undefined : { mark, commands: facts?.commands?.[id], hasCommands: !!facts?.commands };
}

/** Returns the reasons that are about the whole range: its settings and its tags. */
function wholeReasons(notes: Notes, facts: DraftFacts): OutdatedReason[] {
  const settings: OutdatedReason[] = facts.settings === settingsDigest(notes) ? [] : [{ what: 'settings' }];
  const ends = endShas(notes);
  // A range that was open at an end when the draft was generated had fewer ends.
  const moved = ends.filter((sha, index) => index < facts.ends.length && sha !== facts.ends[index]);
  return [...settings, ...moved.map((sha): OutdatedReason => ({ ...(sha !== null && { sha }), what: 'tag' }))];
}

function* changedOnes(notes: Notes, before: string, now: string, facts: DraftFacts | undefined): Iterable<Changed> {
  const [old, fresh] = [linesByMarker(before), linesByMarker(now)];
  const digestFor = digester(notes);
  for (const [id, lines] of fresh) {
    const known = digestsIn(facts, id);
    if (!old.has(id)) {
      if (known === undefined) yield { id, what: id.startsWith('issue:') ? 'issue' : 'merged' };
      else yield* differing(id, known, digestFor(id), wasReverted(known.mark) ? 'reverted' : undefined);
    } else if (old.get(id) !== lines) yield* differing(id, known, digestFor(id));
  }
  const gone = [...old.keys()].filter((id) => !fresh.has(id));
  const why = new Map(absentChanges(notes, now, gone).map(({ id, reason }) => [id, reason]));
  for (const id of gone) {
    const reason = why.get(id);
    const what = reason && leaving[reason];
    const known = digestsIn(facts, id);
    // A line of a release note leaves the draft with a new body, or with the command `/note`.
    if (reason === 'note' && known) yield* differing(id, known, digestFor(id), what);
    else if (what) yield { id, what };
    else if (known === undefined) yield { id, what: 'removed' };
    else yield* differing(id, known, digestFor(id), 'removed');
  }
}

/** Yields which digests of a change differ. If none does, yields `otherwise`. */
function* differing(
  id: string,
  before: Known | undefined,
  now: Digests | undefined,
  otherwise?: What,
): Iterable<Changed> {
  const found = before && now ? differences(before, now) : [];
  for (const what of found) yield { id, what };
  if (found.length === 0 && otherwise) yield { id, what: otherwise };
}

function differences(before: Known, now: Digests): What[] {
  const parts = digestedParts.filter((_, index) => {
    const [from, to] = [index * digestLength, (index + 1) * digestLength];
    return now.mark.slice(from, to) !== before.mark.slice(from, to);
  });
  const isCommanded = before.hasCommands && before.commands !== now.commands;
  return isCommanded ? [...parts, 'command'] : parts;
}

/**
 * Returns the lines with each marker, each with the heading above it. So a change that moves to another section has
 * other lines.
 */
function linesByMarker(text: string): Map<string, string> {
  const lines = new Map<string, string>();
  let heading = '';
  let last: string[] = [];
  for (const line of text.split('\n')) {
    const ids = markedIn(line);
    if (line.startsWith('#')) heading = line;
    // Further lines of an entry, such as its upgrade instructions, are indented.
    else if (ids.length === 0 && !line.startsWith(' ')) last = [];
    if (ids.length > 0) last = ids;
    const added = ids.length > 0 ? `${heading}\n${line}\n` : `${line}\n`;
    for (const id of last) lines.set(id, (lines.get(id) ?? '') + added);
  }
  return lines;
}
