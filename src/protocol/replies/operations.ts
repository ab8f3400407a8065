/**
 * Replies for operators: what retention would erase, what waits for a word, and which deliveries were refused. Shapes only;
 * `store/` and `api/` make the bodies.
 */

import { Type } from '@sinclair/typebox';
import { refusalReasons } from '../refused-deliveries.ts';
import { closed, count, day, orgId, orNull, repoId, text, time } from './fields.ts';

const erased = { pulls: count(12), issues: count(3), comments: count(40), pushes: count(9), commits: count(31) };
const partition = text('p00');
const row = Type.Object({ repoId, fullName: text('acme/rocket'), ...erased }, closed);

export const WaitingSchema = Type.Object(
  {
    partition,
    id: text('0f3a99c1d2e4'),
    cause: Type.Union([Type.Literal('records'), Type.Literal('clock'), Type.Literal('organizations')]),
    from: Type.Optional(time),
    to: Type.Optional(time),
    before: Type.Optional(day),
    records: Type.Optional(count()),
    total: Type.Optional(count()),
    organizations: Type.Optional(Type.Array(Type.Object({ id: orgId, uninstalledAt: time }, closed))),
    shares: Type.Optional(Type.Array(Type.Object({ partition, records: count(), total: count() }, closed))),
  },
  closed,
);

export const RetentionSchema = Type.Object(
  {
    before: day,
    partitions: Type.Array(
      Type.Object(
        {
          partition,
          trustedTime: orNull(time),
          lastSweep: orNull(
            Type.Object(
              { at: time, before: Type.Optional(day), erased: Type.Optional(Type.Object(erased, closed)) },
              closed,
            ),
          ),
          waiting: Type.Array(WaitingSchema),
          total: Type.Optional(count()),
          due: Type.Optional(Type.Object(erased, closed)),
        },
        closed,
      ),
    ),
    repositories: Type.Array(Type.Composite([Type.Object({ partition }), row], closed)),
    organizations: Type.Array(
      Type.Object(
        {
          id: orgId,
          login: text('acme'),
          uninstalledAt: time,
          erasedFrom: time,
          due: Type.Boolean(),
          repositories: Type.Array(orNull(row)),
        },
        closed,
      ),
    ),
  },
  closed,
);

export const ApprovedSchema = Type.Object({ approved: Type.Array(WaitingSchema) }, closed);

/** A delivery of a host. Outcomes and reasons can become more: clients take unknown ones for what they are. */
export const DeliverySchema = Type.Object(
  {
    id: text('rcv_0001m7yce69yvkj4vwe6pref0e56'),
    receivedAt: time,
    outcome: Type.Union([Type.Literal('refused')], { description: 'What became of it' }),
    status: Type.Integer({ examples: [401], description: 'Status of the reply' }),
    reason: Type.Union(
      Object.keys(refusalReasons).map((reason) => Type.Literal(reason)),
      { examples: ['wrong_signature'], description: 'Why it was refused' },
    ),
    message: text(refusalReasons.wrong_signature.because, 'The reason for people'),
    remedy: text(refusalReasons.wrong_signature.remedy, 'What to do about it'),
    event: orNull(text('pull_request', 'As its headers name it')),
    deliveryId: orNull(text('9b5f4522-1775-4c3b-804b-580a7044b6d8', 'Id that the host gave it')),
    host: orNull(text('https://github.com', 'Host whose secret signed it; null = no secret did')),
    hostKind: orNull(
      Type.Union([Type.Literal('github'), Type.Literal('gitea'), Type.Literal('forgejo')], {
        description: 'Kind of host that its headers name; proves nothing',
      }),
    ),
    hookId: orNull(text('471', 'Webhook on the host, where its headers name it')),
    orgId: orNull(orgId),
    address: orNull(text('192.0.2.7', 'Client, behind the proxies of TIDINGS_TRUSTED_PROXIES')),
    contentType: orNull(text('application/json')),
    triedSecrets: Type.Array(text('settings', 'Id of a webhook secret; settings = those of the settings'), {
      maxItems: 32,
    }),
  },
  closed,
);

/** What a list of deliveries tells besides its page. */
export const deliveriesBesides = {
  since: Type.String({
    format: 'date-time',
    examples: ['2026-03-02T09:00:00.000Z'],
    description: 'Since when they are remembered; a new start forgets them',
  }),
};
