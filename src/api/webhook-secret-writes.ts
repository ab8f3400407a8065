/**
 * Making, rotating and revoking bound webhook secrets, for the API and the command line alike: what they are bound to is
 * settled first, then the secret is sealed for just that, and only the sealed text goes on the journal.
 */
import { randomBytes } from 'node:crypto';
import { hostOrigins } from '../../config/hosts.ts';
import type { Settings } from '../../config/schema.ts';
import { invalid, notFound } from '../foundation/errors.ts';
import { newId } from '../foundation/ids.ts';
import { directoryName } from '../journal/subjects.ts';
import type { WebhookSecretRecord } from '../protocol/commands.ts';
import { organisationByLogin, readOrganisation } from '../store/tables/directory.ts';
import { readWebhookSecret, sealedFor } from '../store/tables/webhook-secrets.ts';
import { type ApiContext, carryOut, readPartition, type Use } from './context.ts';

/** What a secret is wanted for. `only` limits it to one organisation, that of the caller's key. */
export interface WantedSecret {
  name: string;
  host: string | undefined;
  /** Login or id; undefined = the whole host, or the organisation of `only`. */
  org: string | undefined;
  /** The caller's own text; undefined = a random one is made. */
  secret: string | undefined;
  only: string | null;
}

/** A stored secret as it is answered, and the text of one that was made here, which nobody can read again. */
export interface WrittenSecret {
  value: Record<string, unknown> & { id: string };
  secret: string | undefined;
  /** Whether an earlier request has done it, whose reply alone had a text made here. */
  replayed: boolean;
}

type Binding = Pick<WebhookSecretRecord, 'origin' | 'orgId'>;

const leastLength = 16;
const mostLength = 255;
const hourMs = 3_600_000;

/**
 * Makes a secret.
 * @throws ServiceError `invalid` naming the field, `notFound` for an organisation, `conflict` when there are too many
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
  const value = await carryOut<WrittenSecret['value']>(context, directoryName, command, use);
  return { value, secret: wanted.secret === undefined ? text : undefined, replayed: use?.replayed ?? false };
}

/**
 * Makes a new text for a secret; the old one verifies for `overlapHours` more.
 * @param only the organisation the secret must be bound to; null for any
 * @throws ServiceError `notFound`, or `conflict` when too many old texts verify still
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
  const value = await carryOut<WrittenSecret['value']>(context, directoryName, command, use);
  return { value, secret, replayed: use?.replayed ?? false };
}

/**
 * Removes a secret: what it signs is refused from now on.
 * @throws ServiceError `notFound`
 */
export function revokeWebhookSecret(context: ApiContext, secretId: string, only: string | null): Promise<object> {
  findSecret(context, secretId, only);
  return carryOut(context, directoryName, { name: 'revokeWebhookSecret', secretId });
}

/**
 * The web address of a host of the settings; the default one's for undefined.
 * @throws ServiceError `invalid` naming the known ones
 */
export function knownHost(settings: Settings, host: string | undefined): string {
  const known = hostOrigins(settings);
  if (host !== undefined && !known.includes(host)) {
    throw invalid({ host: `expected a host of the settings (${known.join(', ')}), got ${JSON.stringify(host)}` });
  }
  return host ?? settings.hostOrigin;
}

/** Why a text cannot be a webhook secret, without repeating it. */
export function secretFault(text: string): string | undefined {
  const length = [...text].length;
  if (length < leastLength || length > mostLength) {
    return `expected ${leastLength} to ${mostLength} characters, got ${length}`;
  }
  // Forms and files change these on their way to the host.
  if (/\p{Cc}/u.test(text)) return 'expected no control characters such as a line end, got some';
  return text.isWellFormed() ? undefined : 'expected whole characters, got half of a surrogate pair';
}

function randomSecret(): string {
  return randomBytes(32).toString('hex');
}

function findSecret(context: ApiContext, id: string, only: string | null): WebhookSecretRecord {
  const secret = id.length <= 255 ? readWebhookSecret(readPartition(context, directoryName), id) : undefined;
  if (!secret || (only !== null && secret.orgId !== only)) throw notFound('Webhook secret', id);
  return secret;
}

/** What a secret is to be bound to. A login that nobody has met gets its organisation here, before anything is sealed for it. */
async function bind(context: ApiContext, { host, org, only }: WantedSecret): Promise<Binding> {
  const directory = readPartition(context, directoryName);
  const login = org === undefined || org.startsWith('org_') ? undefined : org;
  if (only === null && login !== undefined) return bindToLogin(context, knownHost(context.settings, host), login);
  const own = only === null ? undefined : readOrganisation(directory, only)?.origin;
  const named = login === undefined ? org : organisationByLogin(directory, host ?? own ?? '', login)?.id;
  if (only !== null && org !== undefined && named !== only) throw notFound('Organization', org);
  const orgId = only ?? named;
  if (orgId === undefined) return { origin: knownHost(context.settings, host), orgId: null };
  const organisation = orgId.length <= 255 ? readOrganisation(directory, orgId) : undefined;
  if (!organisation) throw notFound('Organization', orgId);
  if (host !== undefined && host !== organisation.origin) {
    throw invalid({ host: `expected the organization's own host ${organisation.origin}, got ${JSON.stringify(host)}` });
  }
  return { origin: knownHost(context.settings, organisation.origin), orgId };
}

async function bindToLogin(context: ApiContext, origin: string, login: string): Promise<Binding> {
  if (!/^[^\s/]+$/.test(login)) throw invalid({ org: `expected a login or an id, got ${JSON.stringify(login)}` });
  const named = { name: 'nameOrganisation', origin, login, unambiguous: true } as const;
  const { orgId } = await carryOut<{ orgId: string }>(context, directoryName, named);
  return { origin, orgId };
}
