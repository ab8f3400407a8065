/**
 * Webhook secrets of a whole host, or of one organization of a host. The secrets are stored sealed. Only the gateway
 * opens the secrets, to check signatures. Webhook secrets in the settings are not stored here.
 */
import type { WebhookSecretRecord } from '../../protocol/commands.ts';
import type { Partition } from '../partition.ts';

export function readWebhookSecret(partition: Partition, id: string): WebhookSecretRecord | undefined {
  return partition.tables.webhookSecrets.get(id);
}

export function writeWebhookSecret(partition: Partition, secret: WebhookSecretRecord): void {
  partition.tables.webhookSecrets.putSync(secret.id, secret);
  partition.tables.webhookSecretsByOwner.putSync(ownerKey(secret), true);
}

export function removeWebhookSecret(partition: Partition, secret: WebhookSecretRecord): void {
  partition.tables.webhookSecrets.removeSync(secret.id);
  partition.tables.webhookSecretsByOwner.removeSync(ownerKey(secret));
}

/** Returns the secrets of one organization, newest first. If `orgId` is null, returns the secrets of the whole host. */
export function webhookSecretsOf(partition: Partition, origin: string, orgId: string | null): WebhookSecretRecord[] {
  const start = [origin, orgId ?? '', ''];
  const keys = partition.tables.webhookSecretsByOwner.getKeys({ start, end: [origin, orgId ?? '', '\uffff'] });
  return [...keys].reverse().flatMap((key) => readWebhookSecret(partition, (key as string[])[2] as string) ?? []);
}

/**
 * Maximum number of secrets that are valid at the same time for one organization or one whole host. After a rotation, a
 * former secret counts until its overlap ends. Every secret costs one more HMAC of the whole body before a forged
 * delivery is refused.
 */
export const maxWebhookTexts = 4;

/** Counts the secrets of one organization or one whole host that are valid at time `at`. */
export function countWebhookTexts(
  partition: Partition,
  { origin, orgId }: Pick<WebhookSecretRecord, 'origin' | 'orgId'>,
  at: number,
): number {
  const texts = webhookSecretsOf(partition, origin, orgId).map(
    ({ previous }) => 1 + previous.filter(({ until }) => until > at).length,
  );
  return texts.reduce((sum, count) => sum + count, 0);
}

/**
 * Returns the secrets of an organization, ordered by id. If `orgId` is null, returns those of all organizations.
 * @param max maximum number of rows to read
 */
export function listWebhookSecrets(
  partition: Partition,
  orgId: string | null,
  max = Number.POSITIVE_INFINITY,
): WebhookSecretRecord[] {
  const limit = Number.isFinite(max) ? { limit: max } : {};
  const rows = [...partition.tables.webhookSecrets.getRange(limit)].map((row) => row.value as WebhookSecretRecord);
  return orgId === null ? rows : rows.filter((secret) => secret.orgId === orgId);
}

/**
 * Returns the values with which the texts of a webhook secret are sealed. A sealed text that is copied to another
 * webhook secret, host or organization cannot be opened.
 */
export function sealedFor({ id, origin, orgId }: Pick<WebhookSecretRecord, 'id' | 'origin' | 'orgId'>): string[] {
  return ['webhook secret', id, origin, orgId ?? ''];
}

/** Returns a webhook secret as API replies contain it: everything but the text of the secret. */
export function webhookSecretResponse(secret: WebhookSecretRecord): Record<string, unknown> {
  const { id, name, origin, orgId, createdAt, rotatedAt, previous } = secret;
  const last = previous.reduce((latest, { until }) => Math.max(latest, until), 0);
  return {
    id,
    name,
    host: origin,
    orgId,
    createdAt: new Date(createdAt).toISOString(),
    rotatedAt: rotatedAt === null ? null : new Date(rotatedAt).toISOString(),
    overlapEndsAt: last === 0 ? null : new Date(last).toISOString(),
  };
}

function ownerKey({ origin, orgId, id }: WebhookSecretRecord): string[] {
  return [origin, orgId ?? '', id];
}
