/**
 * Webhook secrets bound to a host, or to one organisation of it: sealed, by id and by what they are bound to. Only the edge
 * opens them; the secrets of the settings are not here.
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

/** Secrets bound to exactly this: an organisation, or with `orgId` null the whole host. The newest first. */
export function webhookSecretsOf(partition: Partition, origin: string, orgId: string | null): WebhookSecretRecord[] {
  const start = [origin, orgId ?? '', ''];
  const keys = partition.tables.webhookSecretsByOwner.getKeys({ start, end: [origin, orgId ?? '', '\uffff'] });
  return [...keys].reverse().flatMap((key) => readWebhookSecret(partition, (key as string[])[2] as string) ?? []);
}

/**
 * Secrets of an organisation, or all of them for null, by id.
 * @param most at most so many rows are read
 */
export function listWebhookSecrets(
  partition: Partition,
  orgId: string | null,
  most = Number.POSITIVE_INFINITY,
): WebhookSecretRecord[] {
  const limit = Number.isFinite(most) ? { limit: most } : {};
  const rows = [...partition.tables.webhookSecrets.getRange(limit)].map((row) => row.value as WebhookSecretRecord);
  return orgId === null ? rows : rows.filter((secret) => secret.orgId === orgId);
}

/** What a secret's seals are bound to: moved to another secret, host or organisation they do not open. */
export function sealedFor({ id, origin, orgId }: Pick<WebhookSecretRecord, 'id' | 'origin' | 'orgId'>): string[] {
  return ['webhook secret', id, origin, orgId ?? ''];
}

/** A secret as the API answers it: everything but the secret. */
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
