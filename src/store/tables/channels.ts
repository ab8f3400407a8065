/**
 * The connections of organizations and repositories to channels, stored in the directory partition. If a repository has
 * no connection of its own, the connection of its organization applies. The stored secrets are sealed, and replies show
 * only whether a secret is present.
 */
import { digestOf } from '../../foundation/etag.ts';
import { type ChannelName, type ChannelRecord, type Connection, channelTraits } from '../../protocol/channels.ts';
import type { Partition } from '../partition.ts';

/** The source of the connection that applies. `default` = the channel works without a stored connection. */
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

/** Removes a connection. Returns whether the connection existed. */
export function removeChannel(
  partition: Partition,
  orgId: string,
  repoId: string | null,
  channel: ChannelName,
): boolean {
  return partition.tables.channels.removeSync([orgId, repoId ?? '', channel]);
}

/**
 * Returns the stored connection that applies to a repository. If `repoId` is null, returns the connection of the
 * organization itself.
 */
export function effectiveChannel(
  partition: Partition,
  orgId: string,
  repoId: string | null,
  channel: ChannelName,
): ChannelRecord | undefined {
  const own = repoId === null ? undefined : readChannel(partition, orgId, repoId, channel);
  return own ?? readChannel(partition, orgId, null, channel);
}

/**
 * Returns the part of a stored connection that is copied into a publication. Settings that publishing does not need,
 * such as a logo, are not copied.
 */
export function toConnection({ channel, orgId, repoId, settings, secrets, receiver }: ChannelRecord): Connection {
  const { notForPublishing } = channelTraits[channel];
  const needed = Object.entries(settings).filter(([field]) => !notForPublishing.includes(field));
  return { orgId, repoId, settings: Object.fromEntries(needed), secrets, receiver };
}

/**
 * Removes the connections of an organization. Only the `hosted` connections that apply to `repositories` are kept,
 * because they control who may read the pages of these repositories.
 */
export function removeChannelsBut(partition: Partition, orgId: string, repositories: ReadonlySet<string>): void {
  const keys = [...partition.tables.channels.getKeys({ start: [orgId], end: [orgId, '\u{10ffff}'] })];
  for (const key of keys as [string, string, ChannelName][]) {
    const isKept = key[2] === 'hosted' && (repositories.has(key[1]) || (key[1] === '' && repositories.size > 0));
    if (!isKept) partition.tables.channels.removeSync(key);
  }
}

/**
 * Returns the validator (ETag) of a channel's state. A channel without a stored connection also has a validator. The
 * validator covers the sealed secrets. Sealing the same secret twice gives two different sealed texts. So storing the
 * same secret again also changes the validator.
 */
export function channelDigest(channel: ChannelName, record: ChannelRecord | undefined): string {
  const stored = record && [record.orgId, record.repoId, record.settings, record.createdAt, record.updatedAt];
  return digestOf(JSON.stringify([channel, stored ?? null, Object.entries(record?.secrets ?? {}).sort()]));
}

/** Returns the state of a channel as API replies contain it. `record` is undefined if no connection is stored. */
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
