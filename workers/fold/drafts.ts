/**
 * Folds everything that happens to a draft: tickets, finished renders, edits and restored revisions. The first outcome
 * of a ticket counts, a person's edits are kept, and every change of the text or flags makes a revision
 * (`docs/architecture.md` decision 23).
 */
import { ServiceError } from '../../src/foundation/errors.ts';
import { mergeBodies, mergeFormerBodies } from '../../src/notes/merge/merge.ts';
import { editFlags, isSameFlags, mergeFlags } from '../../src/notes/merge/merge-flags.ts';
import type { Command, CommandResult, DraftChange } from '../../src/protocol/commands.ts';
import { maxBodyMdBytes } from '../../src/protocol/limits.ts';
import type { ResultBody } from '../../src/protocol/results.ts';
import type { DraftFlags, DraftRecord, DraftRevision } from '../../src/protocol/stored.ts';
import type { Partition } from '../../src/store/partition.ts';
import { writeFacts } from '../../src/store/tables/draft-facts.ts';
import { readDraft, writeDraft } from '../../src/store/tables/drafts.ts';
import { writeEffect } from '../../src/store/tables/outbox.ts';
import { readRange } from '../../src/store/tables/ranges.ts';
import { verdictMark, writeDraftResponse } from '../../src/store/tables/responses.ts';
import {
  type DraftTexts,
  type FlagsState,
  readDraftRevision,
  readFlags,
  readTexts,
  writeRevision,
} from '../../src/store/tables/revisions.ts';
import { countFor, eventFor } from './directory-relays.ts';
import { requestCheck } from './draft-checks.ts';
import { lossRefusal } from './range-losses.ts';
import { missing, refused, stale } from './refusals.ts';

type CommandNamed<Name extends Command['name']> = Extract<Command, { name: Name }>;
type Outcome<Name extends ResultBody['result']> = Extract<ResultBody, { result: Name }>;
/** The time and kind of a revision, and the API key that made the revision. */
type Making = Pick<DraftRevision, 'at' | 'kind' | 'by'>;

/**
 * The `estimatedTime` of a ticket, in seconds. The render itself takes far less, so most of this time is for the queue.
 */
const estimatedSeconds = 1;

/** Opens a ticket and requests a render. If the draft already has an open ticket, no new ticket is opened. */
export function generateDraft(partition: Partition, command: CommandNamed<'generateDraft'>, at: number): CommandResult {
  const range = readRange(partition, command.rangeId);
  if (!range) return missing('Release range', command.rangeId);
  const { draftId, rangeId, persona, ticket } = command;
  const { repoId } = range;
  const before = readDraft(partition, draftId);
  const answer = { ok: true, value: { id: draftId, status: 'processing', estimatedTime: estimatedSeconds } } as const;
  if (before?.status === 'processing') return answer;
  if (before && isStale(before, command)) return stale('Draft', draftId);
  const refusal = command.force ? undefined : lossRefusal(partition, range);
  if (refusal) return refused(refusal);
  openTicket(partition, before ?? emptyDraft({ id: draftId, rangeId, repoId, persona }, at), ticket);
  return answer;
}

/** Opens a ticket of a draft and requests its render. A ticket that is open already is replaced. */
export function openTicket(partition: Partition, draft: Omit<DraftRecord, 'digest'>, ticket: string): void {
  const { id, rangeId, repoId, persona } = draft;
  saveDraft(partition, { ...draft, status: 'processing', ticket, error: null });
  writeEffect(partition, { effect: 'render', draftId: id, rangeId, repoId, persona, ticket }, `render ${id}`);
}

/** Stores the text and flags that a person has edited. */
export function updateDraft(partition: Partition, command: CommandNamed<'updateDraft'>, at: number): CommandResult {
  const before = readDraft(partition, command.draftId);
  if (!before) return missing('Draft', command.draftId);
  if (isStale(before, command)) return stale('Draft', before.id);
  const { bodyMd = before.bodyMd, flags: changes, by = null } = command;
  const generated = before.generatedFlags ?? before.flags;
  const flags = changes ? flagsState(editFlags(before.flags, generated, changes), generated) : before;
  return written(changeContent(partition, before, { ...before, bodyMd }, flags, { at, kind: 'edited', by }));
}

/**
 * Restores the text and flags of an earlier revision as the newest revision. The generated text and flags of the
 * earlier revision are restored too, because the next merge compares the person's text with them. The current generated
 * text can contain lines that were added after the restored revision. If it were kept, the next merge would conclude
 * that the person has removed these lines.
 */
export function restoreDraft(partition: Partition, command: CommandNamed<'restoreDraft'>, at: number): CommandResult {
  const before = readDraft(partition, command.draftId);
  if (!before) return missing('Draft', command.draftId);
  if (isStale(before, command)) return stale('Draft', before.id);
  const revision = readDraftRevision(partition, before.id, command.revision);
  if (!revision) return missing('Revision', String(command.revision));
  const texts = readTexts(partition, before, revision);
  const flags = readFlags(partition, before, revision);
  if (texts.bodyMd === before.bodyMd && isSameFlags(flags.flags, before.flags)) return written(before);
  // The verdict is about the generated text that is replaced.
  const { outdatedBecause: _, ...unjudged } = before;
  const rebased = texts.generatedMd === before.generatedMd ? before : unjudged;
  const making = { at, kind: 'restored', by: command.by ?? null } as const;
  const restored = changeContent(partition, rebased, texts, flags, making);
  if (command.checks) requestCheck(partition, before.repoId);
  return written(restored);
}

/** Stores a rendered text. If a person has edited the draft, the new text is merged into the edited one. */
export function rendered(partition: Partition, outcome: Outcome<'rendered'>, at: number): void {
  const draft = draftOfTicket(partition, outcome.draftId, outcome.ticket);
  if (!draft) return;
  // Records may have been erased during the render. The text may then be incomplete, so the render counts as failed.
  const range = readRange(partition, draft.rangeId);
  const loss = range && lossRefusal(partition, range, outcome.row);
  if (loss) return fail(partition, draft, loss.message, at);
  const edited = draft.bodyMd !== draft.generatedMd;
  const bodyMd = edited ? merged(draft, outcome) : outcome.bodyMd;
  if (bodyMd instanceof ServiceError) return fail(partition, draft, bodyMd.message, at);
  const { outdatedBecause: _, unchecked, ...unjudged } = draft;
  const { generatedFlags: base } = draft;
  const flags = base ? mergeFlags(base, draft.flags, outcome.flags) : outcome.flags;
  // Only flags that a person has edited are part of a revision. If only other flags change, no revision is made.
  const ready = { ...unjudged, status: 'ready', ticket: null, ...(!base && { flags }) } as const;
  const texts = { bodyMd, generatedMd: outcome.bodyMd };
  const kind = edited || base ? 'merged' : 'generated';
  changeContent(partition, ready, texts, flagsState(flags, outcome.flags), { at, kind, by: null });
  writeFacts(partition, draft.id, outcome.bodyMd, outcome.facts);
  countFor(partition, draft.repoId, { counter: 'draftsGenerated' }, at);
  const { id, persona, rangeId, repoId } = draft;
  eventFor(partition, repoId, 'draft.generated', at, { draftId: id, persona, releaseRangeId: rangeId });
  if (unchecked) requestCheck(partition, repoId);
}

/** Closes a ticket whose render failed. The draft keeps its text and can be generated again. */
export function renderFailed(partition: Partition, outcome: Outcome<'renderFailed'>, at: number): void {
  const draft = draftOfTicket(partition, outcome.draftId, outcome.ticket);
  if (draft) fail(partition, draft, outcome.error, at);
}

function draftOfTicket(partition: Partition, draftId: string, ticket: string): DraftRecord | undefined {
  const draft = readDraft(partition, draftId);
  return draft?.ticket === ticket ? draft : undefined;
}

function fail(partition: Partition, draft: DraftRecord, error: string, at: number): void {
  const { unchecked, ...rest } = draft;
  saveDraft(partition, { ...rest, status: 'failed', ticket: null, error, updatedAt: at });
  if (unchecked) requestCheck(partition, draft.repoId);
}

/**
 * Merges a generated text into the person's text. Returns an error if the merged text exceeds the maximum size of a
 * draft.
 */
function merged(draft: DraftRecord, outcome: Outcome<'rendered'>): string | ServiceError {
  const bodyMd = mergedBodies(draft, outcome);
  if (bodyMd instanceof ServiceError) return bodyMd;
  const bytes = Buffer.byteLength(bodyMd);
  if (bytes <= maxBodyMdBytes) return bodyMd;
  const sizes = `${bytes} bytes; the maximum is ${maxBodyMdBytes}`;
  return new ServiceError('tooLarge', `Together with the edits, the new text would have ${sizes}. Shorten the draft.`);
}

function mergedBodies(
  { generatedMd, bodyMd }: DraftRecord,
  { bodyMd: generated, absent }: Outcome<'rendered'>,
): string | ServiceError {
  try {
    // An earlier version of Tidings wrote a record without `absent`. A replay must give the text that it gave then.
    if (!absent) return mergeFormerBodies(generatedMd, bodyMd, generated);
    return mergeBodies(generatedMd, bodyMd, generated, absent);
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

/**
 * Saves a draft with new texts and flags. If the draft's text or flags have changed, a new revision is made. If only
 * the generated text or the generated flags have changed, they replace the base of the newest revision.
 */
function changeContent(
  partition: Partition,
  before: DraftRecord,
  { bodyMd, generatedMd }: DraftTexts,
  { flags, generatedFlags }: FlagsState,
  making: Making,
): DraftRecord {
  const { generatedFlags: baseBefore, ...rest } = before;
  const { id, revision } = before;
  const changed = bodyMd !== before.bodyMd || !isSameFlags(flags, before.flags) || revision === 0;
  const after = {
    ...rest,
    ...{ bodyMd, generatedMd, flags, revision: revision + (changed ? 1 : 0) },
    ...(generatedFlags && { generatedFlags }),
  };
  const newest = changed ? { ...making, number: revision + 1 } : readDraftRevision(partition, id, revision);
  const isRebased = generatedMd !== before.generatedMd || !isSameBase(generatedFlags, baseBefore);
  if (newest && (changed || isRebased)) {
    const { number, at, kind, by } = newest;
    writeRevision(partition, before, after, { number, at, kind, by });
  }
  // An edit that changes nothing leaves the draft and its digest unchanged.
  const touched = changed || making.kind === 'generated' || making.kind === 'merged';
  return saveDraft(partition, { ...after, updatedAt: touched ? making.at : before.updatedAt });
}

/** Returns the flags to store. If these flags differ from the generated flags, the generated flags are returned too. */
function flagsState(flags: DraftFlags, generated: DraftFlags): FlagsState {
  return isSameFlags(flags, generated) ? { flags } : { flags, generatedFlags: generated };
}

function isSameBase(one: DraftFlags | undefined, other: DraftFlags | undefined): boolean {
  return one && other ? isSameFlags(one, other) : one === other;
}

/** Writes a draft and the stored API reply that shows the draft. */
export function saveDraft(partition: Partition, draft: Omit<DraftRecord, 'digest'>): DraftRecord {
  const saved = writeDraft(partition, draft);
  writeDraftResponse(partition, saved);
  return saved;
}

/**
 * Returns the result of a person's change. The result does not contain the draft's text, because results are kept for a
 * day, and a text is stored only once.
 */
function written({ id, revision, updatedAt, digest, outdatedBecause }: DraftRecord): CommandResult {
  const verdict = verdictMark(outdatedBecause);
  const change: DraftChange = { id, revision, updatedAt, digest, ...(verdict > 0 && { verdict }) };
  return { ok: true, value: change };
}

function isStale(draft: DraftRecord, { ifMatch }: Pick<CommandNamed<'updateDraft'>, 'ifMatch'>): boolean {
  return ifMatch !== undefined && !ifMatch.includes(draft.digest);
}

function emptyDraft(
  of: Pick<DraftRecord, 'id' | 'rangeId' | 'repoId' | 'persona'>,
  at: number,
): Omit<DraftRecord, 'digest'> {
  return {
    ...of,
    status: 'processing',
    ticket: null,
    bodyMd: '',
    generatedMd: '',
    flags: { highlights: [], contributors: [], upgradeInstructions: '' },
    error: null,
    revision: 0,
    createdAt: at,
    updatedAt: at,
  };
}
