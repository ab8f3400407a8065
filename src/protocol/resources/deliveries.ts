/** Request, reply and contract of the list of incoming deliveries of hosts. `api/` makes the bodies of replies. */
import { type Static, Type } from '@sinclair/typebox';
import { deliveryOutcomes, ignoredReasons } from '../recent-deliveries.ts';
import { refusalReasons } from '../refused-deliveries.ts';
import type { Contracts } from './contract.ts';
import { closed, orgId, orNull, repoId, text, time } from './fields.ts';
import { listOf, paging } from './paging.ts';

const reasons = [...Object.keys(refusalReasons), ...Object.keys(ignoredReasons)].map((reason) => Type.Literal(reason));
const outcomes = deliveryOutcomes.map((outcome) => Type.Literal(outcome));

export const ListDeliveriesQuerySchema = Type.Object(
  {
    outcome: Type.Optional(Type.Union(outcomes)),
    reason: Type.Optional(Type.Union(reasons)),
    event: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    repoId: Type.Optional(Type.String({ minLength: 1 })),
    ...paging,
  },
  closed,
);
export type ListDeliveriesQuery = Static<typeof ListDeliveriesQuerySchema>;

/**
 * A delivery of a host. Outcomes and reasons can be added later, so clients must accept values that they do not know.
 */
export const DeliverySchema = Type.Object(
  {
    id: text('rcv_0001m7yce69yvkj4vwe6pref0e56'),
    receivedAt: time,
    outcome: Type.Union(outcomes, { examples: ['refused'], description: 'Outcome of the delivery' }),
    status: Type.Integer({ examples: [401], description: 'Status of the reply' }),
    reason: orNull(
      Type.Union(reasons, {
        examples: ['wrong_signature'],
        description: 'Why the delivery was refused or ignored; null for other outcomes',
      }),
    ),
    message: orNull(text(refusalReasons.wrong_signature.because, 'The reason in words')),
    remedy: orNull(text(refusalReasons.wrong_signature.remedy, 'What to do about it; null if there is nothing to do')),
    repoId: orNull(repoId),
    repository: orNull(
      text('acme/rocket', 'Repository that the delivery is about; null if it was not read, or the key may not see it'),
    ),
    event: orNull(text('pull_request', 'Event according to the headers of the delivery')),
    deliveryId: orNull(text('9b5f4522-1775-4c3b-804b-580a7044b6d8', 'Id that the host gave the delivery')),
    host: orNull(
      text('https://github.com', 'Host whose webhook secret matches the signature; null = no secret matches'),
    ),
    hostKind: orNull(
      Type.Union([Type.Literal('github'), Type.Literal('gitea'), Type.Literal('forgejo')], {
        description: 'Kind of host according to the headers, which are not signed; only of refused deliveries',
      }),
    ),
    hookId: orNull(text('471', 'Id of the webhook on the host, according to the headers of the delivery')),
    orgId: orNull(orgId),
    address: orNull(
      text(
        '192.0.2.7',
        'Address of the client, only of refused deliveries; behind proxies in TIDINGS_TRUSTED_PROXIES, the last address in X-Forwarded-For that is not one of these proxies',
      ),
    ),
    contentType: orNull(text('application/json', 'Content type of the body, only of refused deliveries')),
    triedSecrets: Type.Array(
      text(
        'settings',
        'Id of a webhook secret that was tried, or that signed the delivery; `settings` = the secrets in TIDINGS_WEBHOOK_SECRETS or in the data directory',
      ),
      {
        maxItems: 32,
      },
    ),
  },
  closed,
);

/** Fields of a list of deliveries, in addition to the fields that every list has. */
export const deliveriesBesides = {
  since: Type.String({
    format: 'date-time',
    examples: ['2026-03-02T09:00:00.000Z'],
    description:
      'Time since which the list is complete: the start of the service, or later if it has forgotten deliveries since',
  }),
};

export const deliveryContracts = {
  listDeliveries: {
    tag: 'Operations',
    summary: 'List the newest webhook deliveries of hosts, and what became of each',
    replies: { 200: listOf('deliveries', DeliverySchema, deliveriesBesides) },
  },
} satisfies Contracts;
