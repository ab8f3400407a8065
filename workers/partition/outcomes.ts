/**
 * Folds the outcomes of effects: rendered drafts, fresh counts, relays that arrived. The first outcome of a ticket wins; one
 * that comes late, twice or for a replaced row changes nothing.
 */
import { mergeBodies } from '../../src/notes/merge.ts';
import type { ResultBody } from '../../src/protocol/journal.ts';
import type { DraftRecord } from '../../src/protocol/stored.ts';
import { readDraft } from '../../src/store/drafts.ts';
import { removeEffect, removeRelays } from '../../src/store/outbox.ts';
import type { Partition } from '../../src/store/partition.ts';
import { readRange, writeRange } from '../../src/store/ranges.ts';
import { readRepository } from '../../src/store/repositories.ts';
import { rangeResponse, writeResponse } from '../../src/store/responses.ts';
import { saveDraft } from './commands.ts';

type Outcome<Name extends ResultBody['result']> = Extract<ResultBody, { result: Name }>;

/** Folds one outcome at time `at`. */
export function foldOutcome(partition: Partition, outcome: ResultBody, at: number): void {
  if (outcome.result === 'relayed') return removeRelays(partition, outcome.target, outcome.row);
  removeEffect(partition, outcome.row);
  if (outcome.result === 'rendered') rendered(partition, outcome, at);
  else if (outcome.result === 'renderFailed') renderFailed(partition, outcome, at);
  else if (outcome.result === 'recounted') recounted(partition, outcome, at);
  else throw new Error(`There is no result ${JSON.stringify((outcome as { result: unknown }).result)}.`);
}

/** Takes a rendered text. A person's edit stands: what is new is merged into it. */
function rendered(partition: Partition, outcome: Outcome<'rendered'>, at: number): void {
  const draft = openTicket(partition, outcome.draftId, outcome.ticket);
  if (!draft) return;
  const edited = draft.bodyMd !== draft.generatedMd;
  saveDraft(partition, {
    ...draft,
    status: 'ready',
    ticket: null,
    bodyMd: edited ? mergeBodies(draft.generatedMd, draft.bodyMd, outcome.bodyMd) : outcome.bodyMd,
    generatedMd: outcome.bodyMd,
    flags: outcome.flags,
    revision: draft.revision + 1,
    updatedAt: at,
  });
}

function renderFailed(partition: Partition, outcome: Outcome<'renderFailed'>, at: number): void {
  const draft = openTicket(partition, outcome.draftId, outcome.ticket);
  if (draft) saveDraft(partition, { ...draft, status: 'failed', ticket: null, error: outcome.error, updatedAt: at });
}

function openTicket(partition: Partition, draftId: string, ticket: string): DraftRecord | undefined {
  const draft = readDraft(partition, draftId);
  return draft?.ticket === ticket ? draft : undefined;
}

function recounted(partition: Partition, outcome: Outcome<'recounted'>, at: number): void {
  const url = readRepository(partition, outcome.repoId)?.url ?? '';
  for (const { rangeId, ...counts } of outcome.counts) {
    const range = readRange(partition, rangeId);
    if (!range) continue;
    const same =
      range.prCount === counts.prCount &&
      range.issueCount === counts.issueCount &&
      range.resolution === counts.resolution;
    if (same) continue;
    const fresh = { ...range, ...counts, updatedAt: at };
    writeRange(partition, fresh);
    writeResponse(partition, rangeId, outcome.repoId, rangeResponse(fresh, url));
  }
}
