/**
 * Creates, rotates and revokes bound webhook secrets for the API and the command line. First, the host and organization
 * that a secret is bound to are determined. Then the secret is sealed for this host and organization, and only the
 * sealed secret is written to the journal.
 */
import { randomBytes } from 'node:crypto';
import { hostOrigins } from '../../config/hosts.ts';
import type { Settings } from '../../config/schema.ts';
import { invalid, notFound } from '../foundation/errors.ts';
import { newId } from '../foundation/ids.ts';
import { directoryName } from '../foundation/partition-names.ts';
import type { WebhookSecretRecord } from '../protocol/commands.ts';
import { organizationByLogin, readOrganization } from '../store/tables/directory.ts';
import { readWebhookSecret, sealedFor } from '../store/tables/webhook-secrets.ts';
import { type ApiContext, readPartition, runCommand, type Use } from './context.ts';

/**
 * The properties of a secret to create. `only` is the organization of the caller's key. A secret for any other
 * organization is refused.
 */
export interface WantedSecret {
  name: string;
  host: string | undefined;
  /**
   * Login or id of the organization. If `org` is undefined, the secret is for the organization in `only`, or for the
   * whole host if `only` is null.
   */
  org: string | undefined;
  /** The caller's own secret; undefined = the service generates a random one. */
  secret: string | undefined;
  only: string | null;
}

/**
 * The reply about a stored secret. It also contains the secret itself if the service generated it. The secret cannot be
 * read again later.
 */
export interface WrittenSecret {
  value: Record<string, unknown> & { id: string };
  secret: string | undefined;
  /**
   * Whether an earlier request with the same Idempotency-Key wrote the secret. If so, only the reply to that earlier
   * request contained the generated secret.
   */
  replayed: boolean;
}

type Binding = Pick<WebhookSecretRecord, 'origin' | 'orgId'>;

const minLength = 16;
const maxLength = 255;
const hourMs = 3_600_000;

/**
 * Creates a secret.
 * @throws ServiceError `invalid` naming the field, `notFound` for an unknown organization, `conflict` when there are
 *   too many secrets
 */
export async function createWebhookSecret(
  context: ApiContext,
  wanted: WantedSecret,
  use?: Use,
): Promise<WrittenSecret> {
  const text = wanted.secret ?? randomSecret();
  const fault = secretFault(text);
  if (fault) throw invalid({ secret: fault });
  const binding = await bind(context, wanted);
  const id = newId('secret', 0);
  const sealed = context.sealer.seal(text, sealedFor({ id, ...binding }));
  const secret = { id, ...binding, name: wanted.name, sealed, previous: [], createdAt: 0, rotatedAt: null };
  const command = { name: 'createWebhookSecret', secret } as const;
  const value = await runCommand<WrittenSecret['value']>(context, directoryName, command, use);
  return { value, secret: wanted.secret === undefined ? text : undefined, replayed: use?.replayed ?? false };
}

/**
 * Generates a new value for a secret. Signatures made with the old value are still accepted for `overlapHours`.
 * @param only id of the organization that the secret must be bound to; null = no restriction
 * @throws ServiceError `notFound`, or `conflict` when too many old values are still accepted
 */
export async function rotateWebhookSecret(
  context: ApiContext,
  secretId: string,
  overlapHours: number,
  only: string | null,
  use?: Use,
): Promise<WrittenSecret> {
  const known = findSecret(context, secretId, only);
  const secret = randomSecret();
  const sealed = context.sealer.seal(secret, sealedFor(known));
  const overlapMs = overlapHours * hourMs;
  const command = { name: 'rotateWebhookSecret', secretId, sealed, overlapMs } as const;
  const value = await runCommand<WrittenSecret['value']>(context, directoryName, command, use);
  return { value, secret, replayed: use?.replayed ?? false };
}

/**
 * Removes a secret. Deliveries that are signed with this secret are refused from then on.
 * @throws ServiceError `notFound`
 */
export function revokeWebhookSecret(context: ApiContext, secretId: string, only: string | null): Promise<object> {
  findSecret(context, secretId, only);
  return runCommand(context, directoryName, { name: 'revokeWebhookSecret', secretId });
}

/**
 * Checks that a host is in the settings and returns its web address. If `host` is undefined, returns the web address of
 * the default host.
 * @throws ServiceError `invalid` naming the known hosts
 */
export function knownHost(settings: Settings, host: string | undefined): string {
  const known = hostOrigins(settings);
  if (host !== undefined && !known.includes(host)) {
    throw invalid({ host: `expected one of the configured hosts (${known.join(', ')}), got ${JSON.stringify(host)}` });
  }
  return host ?? settings.hostOrigin;
}

/** Returns why a text cannot be a webhook secret, without quoting the text; undefined for a valid one. */
export function secretFault(text: string): string | undefined {
  const length = [...text].length;
  if (length < minLength || length > maxLength) {
    return `expected ${minLength} to ${maxLength} characters, got ${length}`;
  }
  // Control characters are refused, because an editor or the settings page of a host may change them. The host would
  // then sign with another secret.
  if (/\p{Cc}/u.test(text)) return 'expected no control characters such as line breaks, got at least one';
  return text.isWellFormed() ? undefined : 'expected valid Unicode, got half of a surrogate pair';
}

function randomSecret(): string {
  return randomBytes(32).toString('hex');
}

function findSecret(context: ApiContext, id: string, only: string | null): WebhookSecretRecord {
  const secret = id.length <= 255 ? readWebhookSecret(readPartition(context, directoryName), id) : undefined;
  if (!secret || (only !== null && secret.orgId !== only)) throw notFound('Webhook secret', id);
  return secret;
}

/**
 * Returns the host and organization that a secret is bound to. For an unknown login, this function creates the
 * organization, because the secret is sealed for the id of the organization.
 */
async function bind(context: ApiContext, { host, org, only }: WantedSecret): Promise<Binding> {
  const directory = readPartition(context, directoryName);
  const login = org === undefined || org.startsWith('org_') ? undefined : org;
  if (only === null && login !== undefined) return bindToLogin(context, knownHost(context.settings, host), login);
  const own = only === null ? undefined : readOrganization(directory, only)?.origin;
  const named = login === undefined ? org : organizationByLogin(directory, host ?? own ?? '', login)?.id;
  if (only !== null && org !== undefined && named !== only) throw notFound('Organization', org);
  const orgId = only ?? named;
  if (orgId === undefined) return { origin: knownHost(context.settings, host), orgId: null };
  const organization = orgId.length <= 255 ? readOrganization(directory, orgId) : undefined;
  if (!organization) throw notFound('Organization', orgId);
  if (host !== undefined && host !== organization.origin) {
    throw invalid({ host: `expected the organization's own host ${organization.origin}, got ${JSON.stringify(host)}` });
  }
  return { origin: knownHost(context.settings, organization.origin), orgId };
}

async function bindToLogin(context: ApiContext, origin: string, login: string): Promise<Binding> {
  if (!/^[^\s/]+$/.test(login)) throw invalid({ org: `expected a login or an id, got ${JSON.stringify(login)}` });
  const named = { name: 'nameOrganisation', origin, login, unambiguous: true } as const;
  const { orgId } = await runCommand<{ orgId: string }>(context, directoryName, named);
  return { origin, orgId };
}
