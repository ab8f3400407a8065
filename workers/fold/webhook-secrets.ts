/**
 * Folds the commands that write bound webhook secrets. The secrets arrive sealed and stay sealed. The fold only moves
 * the sealed values.
 */
import type { CommandResult, DirectoryCommand } from '../../src/protocol/commands.ts';
import type { Partition } from '../../src/store/partition.ts';
import { readOrganization } from '../../src/store/tables/directory.ts';
import {
  countWebhookTexts,
  maxWebhookTexts,
  readWebhookSecret,
  removeWebhookSecret,
  webhookSecretResponse,
  writeWebhookSecret,
} from '../../src/store/tables/webhook-secrets.ts';

type Named<Name extends string> = Extract<DirectoryCommand, { name: Name }>;

/** Creates a secret at time `at`. */
export function createWebhookSecret(
  partition: Partition,
  { secret }: Named<'createWebhookSecret'>,
  at: number,
): CommandResult {
  const { origin, orgId } = secret;
  if (orgId !== null && readOrganization(partition, orgId)?.origin !== origin) return missing('Organization', orgId);
  const made = { ...secret, createdAt: at };
  if (countWebhookTexts(partition, made, at) >= maxWebhookTexts) return tooMany();
  writeWebhookSecret(partition, made);
  return { ok: true, value: webhookSecretResponse(made) };
}

/**
 * Replaces the current secret with a new one. The former secret stays valid for `overlapMs` longer. If `overlapMs` is
 * 0, the former secret and all older ones end immediately.
 */
export function rotateWebhookSecret(
  partition: Partition,
  { secretId, sealed, overlapMs }: Named<'rotateWebhookSecret'>,
  at: number,
): CommandResult {
  const secret = readWebhookSecret(partition, secretId);
  if (!secret) return missing('Webhook secret', secretId);
  if (overlapMs > 0 && countWebhookTexts(partition, secret, at) >= maxWebhookTexts) return tooMany();
  const older = secret.previous.filter(({ until }) => until > at);
  const previous = overlapMs > 0 ? [{ sealed: secret.sealed, until: at + overlapMs }, ...older] : [];
  const rotated = { ...secret, sealed, previous, rotatedAt: at };
  writeWebhookSecret(partition, rotated);
  return { ok: true, value: webhookSecretResponse(rotated) };
}

/** Removes a secret and its previous secrets. After a rotation, the previous secrets can still be valid. */
export function revokeWebhookSecret(partition: Partition, secretId: string, at: number): CommandResult {
  const secret = readWebhookSecret(partition, secretId);
  if (!secret) return missing('Webhook secret', secretId);
  removeWebhookSecret(partition, secret);
  return { ok: true, value: { id: secretId, revokedAt: new Date(at).toISOString() } };
}

function tooMany(): CommandResult {
  const message = `An organization or a host has at most ${maxWebhookTexts} valid webhook secrets at a time, including old ones after a rotation. Revoke one, or rotate without overlap.`;
  return { ok: false, kind: 'conflict', message };
}

function missing(resource: string, id: string): CommandResult {
  return { ok: false, kind: 'notFound', message: `${resource} ${JSON.stringify(id)} is not found or not accessible.` };
}
