/**
 * Folds API commands that change a repository's partition. Other files fold the commands for ranges, drafts, backfills
 * and publications. Each command has a result: a success or an expected failure. The result is stored, and the gateway
 * reads it. The gateway has already checked shapes and permissions.
 */

import { nameIn, unreachable } from '../../src/foundation/unreachable.ts';
import type { Command, CommandResult } from '../../src/protocol/commands.ts';
import type { Partition } from '../../src/store/partition.ts';
import { writeEffect } from '../../src/store/tables/outbox.ts';
import { hasRanges } from '../../src/store/tables/ranges.ts';
import { readRepository, writeRepository } from '../../src/store/tables/repositories.ts';
import { noteCheckMode, settingsDigest, writeSettings } from '../../src/store/tables/settings.ts';
import { foldAct, putAutomation } from './automation.ts';
import { cancelBackfill, startBackfill } from './backfills.ts';
import { generateDraft, restoreDraft, updateDraft } from './drafts.ts';
import { checkAfterSettings } from './note-checks.ts';
import { deletePublication, publish, resendPublication } from './publications.ts';
import { createRange } from './ranges.ts';
import { missing, stale } from './refusals.ts';

/** Carries out one command at time `at`. */
export function foldCommand(partition: Partition, command: Command, at: number): CommandResult {
  if (
    'life' in command &&
    command.life !== undefined &&
    command.life !== readRepository(partition, command.repoId)?.createdAt
  )
    return missing('Repository', command.repoId);
  if ('act' in command && command.act)
    return foldAct(partition, command.act, command, at, () => carryOut(partition, command, at));
  return carryOut(partition, command, at);
}

function carryOut(partition: Partition, command: Command, at: number): CommandResult {
  switch (command.name) {
    case 'createRange':
      return createRange(partition, command, at);
    case 'generateDraft':
      return generateDraft(partition, command, at);
    case 'updateDraft':
      return updateDraft(partition, command, at);
    case 'putSettings':
      return putSettings(partition, command, at);
    case 'putAutomation':
      return putAutomation(partition, command, at);
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

/**
 * Stores a repository's settings. Stored API replies (ready responses), the counts of ranges and the verdicts about
 * open pull requests can depend on the settings, so all of them are produced again.
 */
function putSettings(
  partition: Partition,
  command: Extract<Command, { name: 'putSettings' }>,
  at: number,
): CommandResult {
  const { repoId, settings, ifMatch } = command;
  const before = settingsDigest(partition, repoId);
  if (ifMatch && !ifMatch.includes(before)) return stale('Settings of', repoId);
  const wasChecked = noteCheckMode(partition, repoId) !== 'off';
  writeSettings(partition, repoId, settings);
  const repository = readRepository(partition, repoId);
  if (repository) writeRepository(partition, { ...repository, revision: repository.revision + 1 });
  if (hasRanges(partition, repoId)) writeEffect(partition, { effect: 'recount', repoId }, `recount ${repoId}`);
  const digest = settingsDigest(partition, repoId);
  if (repository && digest !== before) checkAfterSettings(partition, repoId, wasChecked, at);
  // The result holds the repository's id, so that erasing the repository also erases the result.
  return { ok: true, value: { id: repoId, digest } };
}
