/**
 * Connections of channels in the directory: of an organisation, or of one of its repositories, whose own goes before. Secrets
 * lie there sealed; only their presence is ever answered.
 */
import { digestOf } from '../../foundation/etag.ts';
import { type ChannelName, type ChannelRecord, type Connection, channelTraits } from '../../protocol/channels.ts';
import type { Partition } from '../partition.ts';

/** Where a connection in force comes from; `default` = the channel works without a stored one. */
export type ConnectionSource = 'repository' | 'organization' | 'default';

export function readChannel(
  partition: Partition,
  orgId: string,
  repoId: string | null,
  channel: ChannelName,
): ChannelRecord | undefined {
  return partition.tables.channels.get([orgId, repoId ?? '', channel]);
}

export function writeChannel(partition: Partition, record: ChannelRecord): void {
  const { orgId, repoId, channel } = record;
  partition.tables.channels.putSync([orgId, repoId ?? '', channel], record);
}

/** Removes a connection; whether there was one. */
export function removeChannel(
  partition: Partition,
  orgId: string,
  repoId: string | null,
  channel: ChannelName,
): boolean {
  return partition.tables.channels.removeSync([orgId, repoId ?? '', channel]);
}

/** The stored connection in force for a repository, or for an organisation's repositories without one of their own. */
export function effectiveChannel(
  partition: Partition,
  orgId: string,
  repoId: string | null,
  channel: ChannelName,
): ChannelRecord | undefined {
  const own = repoId === null ? undefined : readChannel(partition, orgId, repoId, channel);
  return own ?? readChannel(partition, orgId, null, channel);
}

/** The part of a record that a publication takes along. */
export function toConnection({ orgId, repoId, settings, secrets, receiver }: ChannelRecord): Connection {
  return { orgId, repoId, settings, secrets, receiver };
}

/** Removes all connections of an organisation but those that say who may read the pages of the repositories named. */
export function removeChannelsBut(partition: Partition, orgId: string, repositories: ReadonlySet<string>): void {
  const keys = [...partition.tables.channels.getKeys({ start: [orgId], end: [orgId, '\u{10ffff}'] })];
  for (const key of keys as [string, string, ChannelName][]) {
    const isKept = key[2] === 'hosted' && (repositories.has(key[1]) || (key[1] === '' && repositories.size > 0));
    if (!isKept) partition.tables.channels.removeSync(key);
  }
}

/** Validator of a channel's state, stored or not. Sealed texts are in it: no two seals of a secret are the same. */
export function channelDigest(channel: ChannelName, record: ChannelRecord | undefined): string {
  const stored = record && [record.orgId, record.repoId, record.settings, record.createdAt, record.updatedAt];
  return digestOf(JSON.stringify([channel, stored ?? null, Object.entries(record?.secrets ?? {}).sort()]));
}

/** The state of a channel as the API answers it; `record` undefined = nothing is stored. */
export function channelResponse(
  channel: ChannelName,
  record: ChannelRecord | undefined,
  defaults: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const { secrets, isBuiltIn, isPublic } = channelTraits[channel];
  const source: ConnectionSource | null = record
    ? record.repoId === null
      ? 'organization'
      : 'repository'
    : isBuiltIn
      ? 'default'
      : null;
  return {
    channel,
    connected: source !== null,
    source,
    public: isPublic,
    settings: record?.settings ?? (isBuiltIn ? defaults : {}),
    hasSecret: Object.fromEntries(secrets.map((field) => [field, record?.secrets[field] !== undefined])),
    createdAt: record ? new Date(record.createdAt).toISOString() : null,
    updatedAt: record ? new Date(record.updatedAt).toISOString() : null,
  };
}
