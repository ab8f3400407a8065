/**
 * Folds the life of a draft: tickets, renders that come back, edits, restored revisions. The first outcome of a ticket wins,
 * a person's words stand, and every body is a revision (`docs/architecture.md` decision 23).
 */
import { ServiceError } from '../../src/errors.ts';
import { mergeBodies } from '../../src/notes/merge.ts';
import { maxBodyMdBytes } from '../../src/protocol/api.ts';
import type { Command, CommandResult, DraftChange } from '../../src/protocol/commands.ts';
import type { ResultBody } from '../../src/protocol/results.ts';
import type { DraftRecord, DraftRevision } from '../../src/protocol/stored.ts';
import { readDraft, writeDraft } from '../../src/store/drafts.ts';
import { writeEffect } from '../../src/store/outbox.ts';
import type { Partition } from '../../src/store/partition.ts';
import { readRange } from '../../src/store/ranges.ts';
import { writeDraftResponse } from '../../src/store/responses.ts';
import { type DraftTexts, readDraftRevision, readTexts, writeRevision } from '../../src/store/revisions.ts';
import { countFor } from './count.ts';
import { eventFor } from './event.ts';
import { missing, stale } from './refusals.ts';

type CommandNamed<Name extends Command['name']> = Extract<Command, { name: Name }>;
type Outcome<Name extends ResultBody['result']> = Extract<ResultBody, { result: Name }>;
/** How a body came about. */
type Making = Pick<DraftRevision, 'at' | 'kind' | 'by'>;

/** Seconds a client is told to expect a draft in; renders take far less, the queue decides. */
const estimatedSeconds = 1;

/** Opens a ticket and asks for a render; while one is open, the answer is that ticket's. */
export function generateDraft(partition: Partition, command: CommandNamed<'generateDraft'>, at: number): CommandResult {
  const range = readRange(partition, command.rangeId);
  if (!range) return missing('Release range', command.rangeId);
  const { draftId, rangeId, persona, ticket } = command;
  const { repoId } = range;
  const before = readDraft(partition, draftId);
  const answer = { ok: true, value: { id: draftId, status: 'processing', estimatedTime: estimatedSeconds } } as const;
  if (before?.status === 'processing') return answer;
  const draft = before ?? emptyDraft({ id: draftId, rangeId, repoId, persona }, at);
  saveDraft(partition, { ...draft, status: 'processing', ticket, error: null });
  writeEffect(partition, { effect: 'render', draftId, rangeId, repoId, persona, ticket }, `render ${draftId}`);
  return answer;
}

/** Takes a person's text. */
export function updateDraft(partition: Partition, command: CommandNamed<'updateDraft'>, at: number): CommandResult {
  const before = readDraft(partition, command.draftId);
  if (!before) return missing('Draft', command.draftId);
  if (isStale(before, command)) return stale('Draft', before.id);
  const { bodyMd, by = null } = command;
  return written(changeTexts(partition, before, { ...before, bodyMd }, { at, kind: 'edited', by }));
}

/**
 * Makes an earlier body the newest one. The base of the next merge is restored with it: against a later base, whatever the
 * earlier body does not have yet would look like taken out by the person.
 */
export function restoreDraft(partition: Partition, command: CommandNamed<'restoreDraft'>, at: number): CommandResult {
  const before = readDraft(partition, command.draftId);
  if (!before) return missing('Draft', command.draftId);
  if (isStale(before, command)) return stale('Draft', before.id);
  const revision = readDraftRevision(partition, before.id, command.revision);
  if (!revision) return missing('Revision', String(command.revision));
  const texts = readTexts(partition, before, revision);
  if (texts.bodyMd === before.bodyMd) return written(before);
  return written(changeTexts(partition, before, texts, { at, kind: 'restored', by: command.by ?? null }));
}

/** Takes a rendered text. A person's edit stands: what is new is merged into it. */
export function rendered(partition: Partition, outcome: Outcome<'rendered'>, at: number): void {
  const draft = openTicket(partition, outcome.draftId, outcome.ticket);
  if (!draft) return;
  const edited = draft.bodyMd !== draft.generatedMd;
  const bodyMd = edited ? merged(draft, outcome.bodyMd) : outcome.bodyMd;
  if (bodyMd instanceof ServiceError) return fail(partition, draft, bodyMd.message, at);
  const ready = { ...draft, status: 'ready', ticket: null, flags: outcome.flags } as const;
  const texts = { bodyMd, generatedMd: outcome.bodyMd };
  changeTexts(partition, ready, texts, { at, kind: edited ? 'merged' : 'generated', by: null });
  countFor(partition, draft.repoId, { counter: 'draftsGenerated' }, at);
  const { id, persona, rangeId, repoId } = draft;
  eventFor(partition, repoId, 'draft.generated', at, { draftId: id, persona, releaseRangeId: rangeId });
}

/** Closes a ticket whose render failed; the text stays as it was, and the draft can be generated again. */
export function renderFailed(partition: Partition, outcome: Outcome<'renderFailed'>, at: number): void {
  const draft = openTicket(partition, outcome.draftId, outcome.ticket);
  if (draft) fail(partition, draft, outcome.error, at);
}

function openTicket(partition: Partition, draftId: string, ticket: string): DraftRecord | undefined {
  const draft = readDraft(partition, draftId);
  return draft?.ticket === ticket ? draft : undefined;
}

function fail(partition: Partition, draft: DraftRecord, error: string, at: number): void {
  saveDraft(partition, { ...draft, status: 'failed', ticket: null, error, updatedAt: at });
}

/** The person's text with what is new; a failure where both together are more than a draft may hold. */
function merged(draft: DraftRecord, generated: string): string | ServiceError {
  const bodyMd = mergedBodies(draft, generated);
  if (bodyMd instanceof ServiceError) return bodyMd;
  const bytes = Buffer.byteLength(bodyMd);
  if (bytes <= maxBodyMdBytes) return bodyMd;
  const sizes = `${bytes} bytes; at most ${maxBodyMdBytes} fit`;
  return new ServiceError('tooLarge', `The new text merged with the edits would have ${sizes}. Shorten the draft.`);
}

function mergedBodies({ generatedMd, bodyMd }: DraftRecord, generated: string): string | ServiceError {
  try {
    return mergeBodies(generatedMd, bodyMd, generated);
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

/** Saves a draft with other texts. A body that differs is a new revision; one that does not may still have a new base. */
function changeTexts(partition: Partition, before: DraftRecord, texts: DraftTexts, making: Making): DraftRecord {
  const { id, revision } = before;
  const changed = texts.bodyMd !== before.bodyMd || revision === 0;
  const { bodyMd, generatedMd } = texts;
  const after = { ...before, bodyMd, generatedMd, revision: revision + (changed ? 1 : 0) };
  const newest = changed ? { ...making, number: revision + 1 } : readDraftRevision(partition, id, revision);
  if (newest && (changed || generatedMd !== before.generatedMd)) {
    const { number, at, kind, by } = newest;
    writeRevision(partition, before, after, { number, at, kind, by });
  }
  // An edit that changes nothing leaves the draft as it is, its validator too.
  const touched = changed || making.kind === 'generated' || making.kind === 'merged';
  return saveDraft(partition, { ...after, updatedAt: touched ? making.at : before.updatedAt });
}

/** Writes a draft and its ready-made response. */
function saveDraft(partition: Partition, draft: Omit<DraftRecord, 'digest'>): DraftRecord {
  const saved = writeDraft(partition, draft);
  writeDraftResponse(partition, saved);
  return saved;
}

/** What a person's change ended in. Its text is not in it: a result is kept for a day, and a text is kept once. */
function written({ id, revision, updatedAt, digest }: DraftRecord): CommandResult {
  return { ok: true, value: { id, revision, updatedAt, digest } satisfies DraftChange };
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
