/**
 * Folds what the directory keeps of publishing: connections of channels, and who wants no mail. Secrets
 * arrive sealed and stay so.
 */
import type { CommandResult, DirectoryCommand } from '../../src/protocol/commands.ts';
import type { Partition } from '../../src/store/partition.ts';
import {
  channelDigest,
  effectiveChannel,
  readChannel,
  removeChannel,
  writeChannel,
} from '../../src/store/tables/channels.ts';
import { readDirectoryRepository, readOrganisation } from '../../src/store/tables/directory.ts';
import { writeSuppression } from '../../src/store/tables/suppressions.ts';
import { missing, stale } from './refusals.ts';

type Named<Name extends string> = Extract<DirectoryCommand, { name: Name }>;

/** Puts a connection in place of whatever was there. */
export function putChannel(partition: Partition, command: Named<'putChannel'>, at: number): CommandResult {
  const { record, ifMatch } = command;
  const { orgId, repoId, channel } = record;
  if (!readOrganisation(partition, orgId)) return missing('Organization', orgId);
  if (repoId !== null && readDirectoryRepository(partition, repoId)?.orgId !== orgId)
    return missing('Repository', repoId);
  const inForce = effectiveChannel(partition, orgId, repoId, channel);
  if (ifMatch && !ifMatch.includes(channelDigest(channel, inForce))) return stale('Channel', channel);
  const before = readChannel(partition, orgId, repoId, channel);
  writeChannel(partition, { ...record, createdAt: before?.createdAt ?? at, updatedAt: at });
  return { ok: true, value: { orgId, repoId, channel } };
}

/** Removes a connection with its secrets. */
export function disconnectChannel(
  partition: Partition,
  { orgId, repoId, channel }: Named<'removeChannel'>,
): CommandResult {
  if (!removeChannel(partition, orgId, repoId, channel)) return missing('Connection of channel', channel);
  return { ok: true, value: { orgId, repoId, channel } };
}

/** Notes that a recipient wants no mail of an organisation, or wants some again. */
export function suppress(partition: Partition, command: Named<'suppress'>, at: number): CommandResult {
  const { orgId, address, suppressed } = command;
  if (!readOrganisation(partition, orgId)) return missing('Organization', orgId);
  writeSuppression(partition, { orgId, address }, suppressed ? at : null);
  return { ok: true, value: { suppressed } };
}
