/** Lists all sealed texts of the directory partition, and replaces them after the sealing key was changed. */
import { type ChannelRecord, channelSealedFor } from '../../protocol/channels.ts';
import { hostAppSealedFor } from '../../protocol/host-apps.ts';
import type { Partition } from '../partition.ts';
import { writeChannel } from './channels.ts';
import { listHostApps, writeHostApp } from './host-apps.ts';
import { sealedForQuery } from './webhook-addresses.ts';
import { listWebhookEndpoints, sealedForEndpoint, writeWebhookEndpoint } from './webhook-endpoints.ts';
import { listWebhookSecrets, sealedFor, writeWebhookSecret } from './webhook-secrets.ts';

/** A sealed text, and the values with which it must be opened (see `src/foundation/seal.ts`). */
export interface StoredSeal {
  sealed: string;
  belongsTo: readonly string[];
}

/**
 * Returns all sealed texts of the directory: those of webhook secrets, of webhook endpoints and their addresses, of
 * channels and of apps. Former secrets that are still accepted after a rotation are included.
 */
export function listSeals(directory: Partition): StoredSeal[] {
  const secrets = listWebhookSecrets(directory, null).map((secret) => ({ ...secret, belongsTo: sealedFor(secret) }));
  const endpoints = listWebhookEndpoints(directory, null).map((each) => ({
    ...each,
    belongsTo: sealedForEndpoint(each),
  }));
  const rotated = [...secrets, ...endpoints].flatMap(({ sealed, previous, belongsTo }) =>
    [sealed, ...previous.map((each) => each.sealed)].map((text) => ({ sealed: text, belongsTo })),
  );
  const queries = endpoints.flatMap((each) =>
    each.query === undefined ? [] : [{ sealed: each.query.sealed, belongsTo: sealedForQuery(each) }],
  );
  const channels = listChannels(directory).flatMap((record) =>
    Object.entries(record.secrets).map(([field, sealed]) => {
      return { sealed, belongsTo: channelSealedFor(record, record.channel, field) };
    }),
  );
  const apps = listHostApps(directory).map((app) => ({ sealed: app.sealed, belongsTo: hostAppSealedFor(app) }));
  return [...rotated, ...queries, ...channels, ...apps];
}

/**
 * Replaces stored sealed texts. `replaced` maps each old sealed text to its new sealed text. Returns how many records
 * changed.
 */
export function replaceSeals(directory: Partition, replaced: ReadonlyMap<string, string>): number {
  const fresh = (sealed: string): string => replaced.get(sealed) ?? sealed;
  const renewed = <T extends { sealed: string; previous: { sealed: string; until: number }[] }>(record: T): T => {
    const previous = record.previous.map(({ sealed, until }) => ({ sealed: fresh(sealed), until }));
    return { ...record, sealed: fresh(record.sealed), previous };
  };
  const isOld = (text: string): boolean => replaced.has(text);
  const holds = ({ sealed, previous }: { sealed: string; previous: { sealed: string }[] }): boolean =>
    isOld(sealed) || previous.some((each) => isOld(each.sealed));
  const secrets = listWebhookSecrets(directory, null).filter(holds);
  for (const secret of secrets) writeWebhookSecret(directory, renewed(secret));
  const endpoints = listWebhookEndpoints(directory, null).filter(
    (endpoint) => holds(endpoint) || (endpoint.query !== undefined && isOld(endpoint.query.sealed)),
  );
  for (const endpoint of endpoints) {
    const { query } = endpoint;
    const fields = renewed(endpoint);
    writeWebhookEndpoint(directory, query ? { ...fields, query: { ...query, sealed: fresh(query.sealed) } } : fields);
  }
  const channels = listChannels(directory).filter(({ secrets: sealed }) => Object.values(sealed).some(isOld));
  for (const record of channels) {
    const entries = Object.entries(record.secrets).map(([field, sealed]) => [field, fresh(sealed)]);
    writeChannel(directory, { ...record, secrets: Object.fromEntries(entries) });
  }
  const apps = listHostApps(directory).filter(({ sealed }) => isOld(sealed));
  for (const app of apps) writeHostApp(directory, { ...app, sealed: fresh(app.sealed) });
  return secrets.length + endpoints.length + channels.length + apps.length;
}

function listChannels(directory: Partition): ChannelRecord[] {
  return [...directory.tables.channels.getRange({})].map((row) => row.value as ChannelRecord);
}
