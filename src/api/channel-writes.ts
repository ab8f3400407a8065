/**
 * Makes the stored records of channel connections. A request may omit secrets that are already stored. The new settings
 * are checked together with these secrets. Then each secret is sealed for exactly this connection. Only sealed secrets
 * are written to the journal.
 */
import { Value } from '@sinclair/typebox/value';
import { invalid, ServiceError } from '../foundation/errors.ts';
import type { Sealer } from '../foundation/seal.ts';
import {
  type ChannelName,
  type ChannelRecord,
  type Connection,
  channelSealedFor,
  channelTraits,
} from '../protocol/channels.ts';
import { assertAddresses, checkSettings, type Fields } from './channel-rules.ts';
import type { ApiContext } from './context.ts';
import { withDefaults } from './validate.ts';

/** The owner of a connection: an organization, or one of its repositories. */
export type Owner = Pick<Connection, 'orgId' | 'repoId'>;

/**
 * Makes a connection from the default settings of a channel. A built-in channel without a stored connection uses this
 * connection.
 */
export function defaultConnection(sealer: Sealer, orgId: string, channel: ChannelName): Connection {
  const settings = Value.Default(channelTraits[channel].settings, {}) as Fields;
  return { orgId, repoId: null, settings, secrets: {}, receiver: receiverDigest(sealer, channel, settings) };
}

/**
 * Makes the record of a connection from the settings of a request.
 * @param before the stored record. If the request omits a secret, the secret of the stored record is kept.
 * @throws ServiceError `invalid` with one detail for each bad field. The details do not contain the value of a secret.
 * @throws ServiceError `invalid` when the service may not send requests to an address of the settings, or when a stored
 *   secret would be sent to a new address
 */
export function channelRecord(
  { sealer, settings }: Pick<ApiContext, 'sealer' | 'settings'>,
  owner: Owner,
  channel: ChannelName,
  put: Fields,
  before: ChannelRecord | undefined,
): ChannelRecord {
  const { settings: schema, secrets } = channelTraits[channel];
  const kept = keptSecrets(sealer, channel, put, before);
  const whole = checkSettings(channel, withDefaults(schema, { ...kept, ...put }) as Fields);
  const named = Object.fromEntries(Object.entries(whole).filter(([field]) => kept[field] === undefined));
  assertAddresses(channel, named, { allow: settings.egressAllow, allowHttp: settings.egressAllowHttp });
  assertSamePlace(channel, whole, kept, before);
  const isSecret = (field: string) => secrets.includes(field);
  const open = Object.entries(whole).filter(([field]) => !isSecret(field));
  const sealed = Object.entries(whole)
    .filter(([field]) => isSecret(field))
    .map(([field, value]) => [field, sealer.seal(JSON.stringify(value), channelSealedFor(owner, channel, field))]);
  return {
    channel,
    orgId: owner.orgId,
    repoId: owner.repoId,
    settings: Object.fromEntries(open),
    secrets: Object.fromEntries(sealed),
    receiver: receiverDigest(sealer, channel, whole),
    createdAt: 0,
    updatedAt: 0,
  };
}

/**
 * Checks that the secrets of a connection can be opened.
 * @throws ServiceError `conflict` if a secret cannot be opened with the current sealing key. The error names each such
 * secret.
 */
export function assertOpens(sealer: Sealer, record: ChannelRecord): void {
  const { channel, secrets } = record;
  const shut = Object.entries(secrets).flatMap(([field, sealed]) => {
    try {
      sealer.open(sealed, channelSealedFor(record, channel, field));
      return [];
    } catch {
      return [field];
    }
  });
  if (shut.length === 0) return;
  const what = `the current sealing key cannot decrypt the stored ${shut.join(', ')}. Connect the channel again.`;
  throw new ServiceError('conflict', `The channel ${channel} is not connected: ${what}`);
}

function keptSecrets(sealer: Sealer, channel: ChannelName, put: Fields, before: ChannelRecord | undefined): Fields {
  const kept: Fields = {};
  for (const [field, sealed] of Object.entries(before?.secrets ?? {})) {
    if (put[field] !== undefined || !before) continue;
    try {
      kept[field] = JSON.parse(sealer.open(sealed, channelSealedFor(before, channel, field)));
    } catch {
      throw invalid({
        [field]: 'expected this secret again, because the current sealing key cannot decrypt the stored secret',
      });
    }
  }
  return kept;
}

/**
 * Refuses a request that changes the address of the receiver but omits a stored secret. Without this check, someone who
 * does not know a secret could make the service send the secret to another server.
 */
function assertSamePlace(channel: ChannelName, whole: Fields, kept: Fields, before: ChannelRecord | undefined): void {
  const moved = channelTraits[channel].secretsGoTo.filter((field) => whole[field] !== before?.settings[field]);
  if (moved.length === 0 || Object.keys(kept).length === 0) return;
  const why = `expected this secret again, because the stored secret was set for a different ${moved.join(' and ')}`;
  throw invalid(Object.fromEntries(Object.keys(kept).map((field) => [field, why])), 'The settings are invalid.');
}

/**
 * Computes the digest that identifies a receiver. The digest is keyed with a secret of the instance, because some of
 * the fields are secrets with few possible values. From an unkeyed digest, someone could guess these values.
 */
function receiverDigest(sealer: Sealer, channel: ChannelName, settings: Fields): string {
  const { receiver } = channelTraits[channel];
  const values = receiver.map((field) => settings[field] ?? null);
  return receiver.length === 0 ? '' : sealer.mac(JSON.stringify(values), ['receiver', channel]).slice(0, 22);
}
