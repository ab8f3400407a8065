/**
 * Folds the API writes of a repository's partition: ranges, drafts, backfills. Each leaves a stored result, success or expected
 * failure, that the gateway reads; the gateway has checked shapes and rights before.
 */
import type { Command, CommandResult } from '../../src/protocol/commands.ts';
import type { DraftRecord } from '../../src/protocol/stored.ts';
import { readDraft, writeDraft } from '../../src/store/drafts.ts';
import { writeEffect } from '../../src/store/outbox.ts';
import type { Partition } from '../../src/store/partition.ts';
import { readRange, writeRange } from '../../src/store/ranges.ts';
import { readRepository } from '../../src/store/repositories.ts';
import { draftResponse, rangeResponse, writeResponse } from '../../src/store/responses.ts';
import { cancelBackfill, startBackfill } from './backfills.ts';

/** Seconds a client is told to expect a draft in; renders take far less, the queue decides. */
const estimatedSeconds = 1;

/** Carries out one command at time `at`. */
export function foldCommand(partition: Partition, command: Command, at: number): CommandResult {
  switch (command.name) {
    case 'createRange':
      return createRange(partition, command, at);
    case 'generateDraft':
      return generateDraft(partition, command, at);
    case 'updateDraft':
      return updateDraft(partition, command, at);
    case 'startBackfill':
      return startBackfill(partition, command, at);
    case 'cancelBackfill':
      return cancelBackfill(partition, command.repoId, at);
    default:
      throw new Error(`There is no command ${JSON.stringify((command as { name: unknown }).name)}.`);
  }
}

function createRange(
  partition: Partition,
  command: Extract<Command, { name: 'createRange' }>,
  at: number,
): CommandResult {
  const repository = readRepository(partition, command.repoId);
  if (!repository) return missing('Repository', command.repoId);
  const { bounds, repoId, prCount, issueCount, resolution } = command;
  const range = { id: command.rangeId, repoId, bounds, prCount, issueCount, resolution, createdAt: at, updatedAt: at };
  writeRange(partition, range);
  const response = rangeResponse(range, repository.url);
  writeResponse(partition, range.id, repoId, response);
  // The counts were taken before this record; events folded in between may have changed them.
  writeEffect(partition, { effect: 'recount', repoId }, `recount ${repoId}`);
  return { ok: true, value: response };
}

function generateDraft(
  partition: Partition,
  command: Extract<Command, { name: 'generateDraft' }>,
  at: number,
): CommandResult {
  const range = readRange(partition, command.rangeId);
  if (!range) return missing('Release range', command.rangeId);
  const { draftId, rangeId, persona, ticket } = command;
  const before = readDraft(partition, draftId);
  const answer: CommandResult = {
    ok: true,
    value: { id: draftId, status: 'processing', estimatedTime: estimatedSeconds },
  };
  if (before?.status === 'processing') return answer;
  const draft: DraftRecord = {
    ...(before ?? emptyDraft(range.repoId, rangeId, draftId, persona, at)),
    status: 'processing',
    ticket,
    error: null,
  };
  saveDraft(partition, draft);
  const { repoId } = range;
  writeEffect(partition, { effect: 'render', draftId, rangeId, repoId, persona, ticket }, `render ${draftId}`);
  return answer;
}

function updateDraft(
  partition: Partition,
  command: Extract<Command, { name: 'updateDraft' }>,
  at: number,
): CommandResult {
  const before = readDraft(partition, command.draftId);
  if (!before) return missing('Draft', command.draftId);
  const draft = { ...before, bodyMd: command.bodyMd, revision: before.revision + 1, updatedAt: at };
  saveDraft(partition, draft);
  const { id, bodyMd, updatedAt } = draftResponse(draft);
  return { ok: true, value: { id, bodyMd, updatedAt } };
}

/** Writes a draft and its ready-made response. */
export function saveDraft(partition: Partition, draft: DraftRecord): void {
  writeDraft(partition, draft);
  writeResponse(partition, draft.id, draft.repoId, draftResponse(draft));
}

function emptyDraft(
  repoId: string,
  rangeId: string,
  id: string,
  persona: DraftRecord['persona'],
  at: number,
): DraftRecord {
  return {
    id,
    rangeId,
    repoId,
    persona,
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

function missing(resource: string, id: string): CommandResult {
  const message = `${resource} ${JSON.stringify(id)} is not found or not accessible.`;
  return { ok: false, kind: 'notFound', message };
}
