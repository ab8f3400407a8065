/**
 * Makes the stored records of channel connections. A request may omit secrets that are already stored. The new settings
 * are checked together with these secrets. Then each secret is sealed for exactly this connection. Only sealed secrets
 * are written to the journal.
 */
import { invalid } from '../foundation/errors.ts';
import type { Sealer } from '../foundation/seal.ts';
import { type ChannelName, type ChannelRecord, channelSealedFor, channelTraits } from '../protocol/channels.ts';
import { type Owner, receiverDigest } from '../store/connections.ts';
import { assertAddresses, checkSettings, type Fields } from './channel-rules.ts';
import type { ApiContext } from './context.ts';
import { withDefaults } from './validate.ts';

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
