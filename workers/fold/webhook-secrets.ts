/**
 * Folds the writes of bound webhook secrets. They arrive sealed and stay so; a fold only moves the sealed texts.
 */
import type { CommandResult, DirectoryCommand, WebhookSecretRecord } from '../../src/protocol/commands.ts';
import type { Partition } from '../../src/store/partition.ts';
import { readOrganisation } from '../../src/store/tables/directory.ts';
import {
  readWebhookSecret,
  removeWebhookSecret,
  webhookSecretResponse,
  webhookSecretsOf,
  writeWebhookSecret,
} from '../../src/store/tables/webhook-secrets.ts';

type Named<Name extends string> = Extract<DirectoryCommand, { name: Name }>;

/**
 * Texts that verify at one time for one organisation or one whole host, old ones in overlap included. Each is an HMAC over
 * the whole body of a forged delivery.
 */
const mostTexts = 4;

/** Makes a secret at time `at`. */
export function createWebhookSecret(
  partition: Partition,
  { secret }: Named<'createWebhookSecret'>,
  at: number,
): CommandResult {
  const { origin, orgId } = secret;
  if (orgId !== null && readOrganisation(partition, orgId)?.origin !== origin) return missing('Organization', orgId);
  const made = { ...secret, createdAt: at };
  if (countTexts(partition, made, at) >= mostTexts) return tooMany();
  writeWebhookSecret(partition, made);
  return { ok: true, value: webhookSecretResponse(made) };
}

/** Puts a new text in place of the current one, which verifies on for `overlapMs`; 0 ends it and all older ones. */
export function rotateWebhookSecret(
  partition: Partition,
  { secretId, sealed, overlapMs }: Named<'rotateWebhookSecret'>,
  at: number,
): CommandResult {
  const secret = readWebhookSecret(partition, secretId);
  if (!secret) return missing('Webhook secret', secretId);
  if (overlapMs > 0 && countTexts(partition, secret, at) >= mostTexts) return tooMany();
  const older = secret.previous.filter(({ until }) => until > at);
  const previous = overlapMs > 0 ? [{ sealed: secret.sealed, until: at + overlapMs }, ...older] : [];
  const rotated = { ...secret, sealed, previous, rotatedAt: at };
  writeWebhookSecret(partition, rotated);
  return { ok: true, value: webhookSecretResponse(rotated) };
}

/** Removes a secret with all its texts. */
export function revokeWebhookSecret(partition: Partition, secretId: string, at: number): CommandResult {
  const secret = readWebhookSecret(partition, secretId);
  if (!secret) return missing('Webhook secret', secretId);
  removeWebhookSecret(partition, secret);
  return { ok: true, value: { id: secretId, revokedAt: new Date(at).toISOString() } };
}

function countTexts(partition: Partition, { origin, orgId }: WebhookSecretRecord, at: number): number {
  const texts = webhookSecretsOf(partition, origin, orgId).map(
    ({ previous }) => 1 + previous.filter(({ until }) => until > at).length,
  );
  return texts.reduce((sum, count) => sum + count, 0);
}

function tooMany(): CommandResult {
  const message = `An organization, or a whole host, has at most ${mostTexts} webhook secrets at a time, old ones in overlap included. Revoke one, or rotate without overlap.`;
  return { ok: false, kind: 'conflict', message };
}

function missing(resource: string, id: string): CommandResult {
  return { ok: false, kind: 'notFound', message: `${resource} ${JSON.stringify(id)} is not found or not accessible.` };
}
