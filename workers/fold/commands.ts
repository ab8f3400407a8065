/**
 * Folds API commands that change a repository's partition. Other files fold the commands for drafts, backfills and
 * publications. Each command has a result: a success or an expected failure. The result is stored, and the gateway
 * reads it. The gateway has already checked shapes and permissions.
 */

import { ServiceError } from '../../src/foundation/errors.ts';
import { nameIn, unreachable } from '../../src/foundation/unreachable.ts';
import type { Command, CommandResult } from '../../src/protocol/commands.ts';
import type { RangeRecord } from '../../src/protocol/stored.ts';
import type { Partition } from '../../src/store/partition.ts';
import { writeEffect } from '../../src/store/tables/outbox.ts';
import { countRanges, hasRanges, writeRange } from '../../src/store/tables/ranges.ts';
import { readRepository, writeRepository } from '../../src/store/tables/repositories.ts';
import { rangeResponse, writeRangeResponse } from '../../src/store/tables/responses.ts';
import { settingsDigest, writeSettings } from '../../src/store/tables/settings.ts';
import { cancelBackfill, startBackfill } from './backfills.ts';
import { eventFor } from './directory-relays.ts';
import { generateDraft, restoreDraft, updateDraft } from './drafts.ts';
import { deletePublication, publish, resendPublication } from './publications.ts';
import { missing, refused, stale } from './refusals.ts';

/** Carries out one command at time `at`. */
export function foldCommand(partition: Partition, command: Command, at: number): CommandResult {
  if (
    'life' in command &&
    command.life !== undefined &&
    command.life !== readRepository(partition, command.repoId)?.createdAt
  )
    return missing('Repository', command.repoId);
  switch (command.name) {
    case 'createRange':
      return createRange(partition, command, at);
    case 'generateDraft':
      return generateDraft(partition, command, at);
    case 'updateDraft':
      return updateDraft(partition, command, at);
    case 'putSettings':
      return putSettings(partition, command);
    case 'restoreDraft':
      return restoreDraft(partition, command, at);
    case 'startBackfill':
      return startBackfill(partition, command, at);
    case 'cancelBackfill':
      return cancelBackfill(partition, command, at);
    case 'publish':
      return publish(partition, command, at);
    case 'resendPublication':
      return resendPublication(partition, command, at);
    case 'deletePublication':
      return deletePublication(partition, command.publicationId, at);
    default:
      return unreachable(command, `Unknown command: ${nameIn(command, 'name')}.`);
  }
}

function createRange(
  partition: Partition,
  command: Extract<Command, { name: 'createRange' }>,
  at: number,
): CommandResult {
  const repository = readRepository(partition, command.repoId);
  if (!repository) return missing('Repository', command.repoId);
  const { bounds, repoId, prCount, issueCount, resolution, assumed, most: maxRanges, elsewhere = 0 } = command;
  if (maxRanges && countRanges(partition, repoId) + elsewhere >= maxRanges) {
    return refused(
      new ServiceError('conflict', `An organization has at most ${maxRanges} release ranges (TIDINGS_MAX_RANGES).`),
    );
  }
  const counts = { prCount, issueCount, resolution, ...(assumed && { assumed }) };
  const range = { id: command.rangeId, repoId, bounds, ...counts, createdAt: at, updatedAt: at };
  writeRange(partition, range);
  writeRangeResponse(partition, range, repository.url);
  // The range was counted before this record was enqueued. Events folded since then may have changed the counts, so a
  // recount is requested.
  writeEffect(partition, { effect: 'recount', repoId }, `recount ${repoId}`);
  const response = rangeResponse(range, repository.url);
  reportRange(partition, range, response.compareUrl as string | undefined, at);
  return { ok: true, value: response };
}

function reportRange(partition: Partition, range: RangeRecord, url: string | undefined, at: number): void {
  const { id, repoId, prCount, issueCount } = range;
  const { span: _, ...bounds } = range.bounds;
  const link = url === undefined ? {} : { compareUrl: url };
  eventFor(partition, repoId, 'range.created', at, {
    releaseRangeId: id,
    repoId,
    ...bounds,
    ...link,
    prCount,
    issueCount,
  });
}

/**
 * Stores a repository's settings. Stored API replies (ready responses) and the counts of ranges can depend on the
 * settings, so both are produced again.
 */
function putSettings(partition: Partition, command: Extract<Command, { name: 'putSettings' }>): CommandResult {
  const { repoId, settings, ifMatch } = command;
  if (ifMatch && !ifMatch.includes(settingsDigest(partition, repoId))) return stale('Settings of', repoId);
  writeSettings(partition, repoId, settings);
  const repository = readRepository(partition, repoId);
  if (repository) writeRepository(partition, { ...repository, revision: repository.revision + 1 });
  if (hasRanges(partition, repoId)) writeEffect(partition, { effect: 'recount', repoId }, `recount ${repoId}`);
  // The result holds the repository's id, so that erasing the repository also erases the result.
  return { ok: true, value: { id: repoId, digest: settingsDigest(partition, repoId) } };
}
