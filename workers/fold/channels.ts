/**
 * Folds the publishing commands of the directory partition. These commands change the connections of channels and the
 * list of recipients who want no mail. Secrets arrive sealed and stay sealed.
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
import { readDirectoryRepository, readOrganization } from '../../src/store/tables/directory.ts';
import { writeSuppression } from '../../src/store/tables/suppressions.ts';
import { missing, stale } from './refusals.ts';

type Named<Name extends string> = Extract<DirectoryCommand, { name: Name }>;

/** Stores a connection. An existing connection is replaced. */
export function putChannel(partition: Partition, command: Named<'putChannel'>, at: number): CommandResult {
  const { record, ifMatch } = command;
  const { orgId, repoId, channel } = record;
  if (!readOrganization(partition, orgId)) return missing('Organization', orgId);
  if (repoId !== null && readDirectoryRepository(partition, repoId)?.orgId !== orgId)
    return missing('Repository', repoId);
  const inForce = effectiveChannel(partition, orgId, repoId, channel);
  if (ifMatch && !ifMatch.includes(channelDigest(channel, inForce))) return stale('Channel', channel);
  const before = readChannel(partition, orgId, repoId, channel);
  writeChannel(partition, { ...record, createdAt: before?.createdAt ?? at, updatedAt: at });
  return { ok: true, value: { orgId, repoId, channel } };
}

/** Removes a connection and its secrets. */
export function disconnectChannel(
  partition: Partition,
  { orgId, repoId, channel }: Named<'removeChannel'>,
): CommandResult {
  if (!removeChannel(partition, orgId, repoId, channel)) return missing('Connection of channel', channel);
  return { ok: true, value: { orgId, repoId, channel } };
}

/** Records whether a recipient wants mail from an organization. */
export function suppress(partition: Partition, command: Named<'suppress'>, at: number): CommandResult {
  const { orgId, address, suppressed } = command;
  if (!readOrganization(partition, orgId)) return missing('Organization', orgId);
  writeSuppression(partition, { orgId, address }, suppressed ? at : null);
  return { ok: true, value: { suppressed } };
}
