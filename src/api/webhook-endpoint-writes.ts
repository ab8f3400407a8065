/**
 * Making webhook endpoints and rotating their secrets: the address is judged as far as its text tells, the secret is made
 * here, secret and query of the address are sealed, and only the sealed texts go on the journal.
 */
import { randomBytes } from 'node:crypto';
import { targetFault } from '../egress/target.ts';
import { invalid } from '../foundation/errors.ts';
import { newId } from '../foundation/ids.ts';
import { directoryName } from '../journal/subjects.ts';
import { type WebhookEndpointRecord, type WebhookEvent, webhookEvents } from '../protocol/webhooks.ts';
import { isMasked, sealAddress, shownAddress, type WebhookAddress } from '../store/tables/webhook-addresses.ts';
import { sealedForEndpoint } from '../store/tables/webhook-endpoints.ts';
import { type ApiContext, carryOut, type Use } from './context.ts';

/** What an endpoint is wanted for. */
export interface WantedEndpoint {
  orgId: string;
  url: string;
  /** Undefined = all events there are. */
  events: readonly WebhookEvent[] | undefined;
  description: string | undefined;
}

/** An endpoint as it is answered, and its secret, which nobody can read again. */
export interface WrittenEndpoint {
  value: Record<string, unknown> & { id: string };
  secret: string;
  /** Whether an earlier request has done it, whose reply alone had the secret. */
  replayed: boolean;
}

/** A stored result, with the validator that only PATCH answers. */
type Stored = WrittenEndpoint['value'] & { digest: string };

/** Standard Webhooks asks for 24 to 64 bytes. */
const secretBytes = 32;

/**
 * Makes an endpoint.
 * @throws ServiceError `notFound` for the organisation, `conflict` when it has too many
 */
export async function createWebhookEndpoint(
  context: ApiContext,
  { orgId, url, events = webhookEvents, description = '' }: WantedEndpoint,
  use?: Use,
): Promise<WrittenEndpoint> {
  const id = newId('ep', 0);
  const secret = newSecret();
  const endpoint: WebhookEndpointRecord = {
    id,
    orgId,
    ...sealAddress(context.sealer, { id, orgId }, url),
    description: description.toWellFormed(),
    events: [...events],
    disabled: null,
    sealed: context.sealer.seal(secret, sealedForEndpoint({ id, orgId })),
    previous: [],
    failingSince: null,
    createdAt: 0,
    updatedAt: 0,
  };
  const most = context.settings.maxWebhookEndpoints;
  const command = { name: 'createWebhookEndpoint', endpoint, most } as const;
  const { digest: _, ...value } = await carryOut<Stored>(context, directoryName, command, use);
  return { value, secret, replayed: use?.replayed ?? false };
}

/**
 * Makes a new secret for an endpoint; the old one signs beside it for `overlapMs`.
 * @throws ServiceError `notFound`, or `conflict` when too many old ones sign still
 */
export async function rotateWebhookEndpoint(
  context: ApiContext,
  endpoint: Pick<WebhookEndpointRecord, 'id' | 'orgId'>,
  overlapMs: number,
  use?: Use,
): Promise<WrittenEndpoint> {
  const secret = newSecret();
  const sealed = context.sealer.seal(secret, sealedForEndpoint(endpoint));
  const command = { name: 'rotateWebhookEndpointSecret', endpointId: endpoint.id, sealed, overlapMs } as const;
  const { digest: _, ...value } = await carryOut<Stored>(context, directoryName, command, use);
  return { value, secret, replayed: use?.replayed ?? false };
}

/**
 * An address in its usual spelling. What a name resolves to is judged with each delivery.
 * @throws ServiceError `invalid` when webhooks may not go there
 */
export function assertTarget({ settings }: ApiContext, url: string): string {
  const fault = targetFault(url, { allow: settings.egressAllow, allowHttp: settings.egressAllowHttp });
  if (fault !== undefined) throw invalid({ url: fault });
  if (new URL(url).hash !== '') throw invalid({ url: 'expected an address without a fragment (#)' });
  if (isMasked(url)) throw invalid({ url: 'expected the query itself: replies do not show it' });
  return new URL(url).href;
}

/**
 * The address that a change of an endpoint names, as it is stored; nothing when it is the one that replies show.
 * @throws ServiceError `invalid` when webhooks may not go there
 */
export function changedAddress(
  context: ApiContext,
  endpoint: WebhookEndpointRecord,
  url: string | undefined,
): WebhookAddress | undefined {
  if (url === undefined || url === shownAddress(endpoint)) return undefined;
  return sealAddress(context.sealer, endpoint, assertTarget(context, url));
}

function newSecret(): string {
  return `whsec_${randomBytes(secretBytes).toString('base64')}`;
}
