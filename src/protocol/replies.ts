/**
 * What the API answers with: the shape of every reply's body, closed, with an example of each field. Shapes only; `store/`
 * makes the bodies, `contracts.ts` says which operation answers with which.
 */
import { type TObject, type TProperties, type TSchema, Type } from '@sinclair/typebox';
import { ChannelNameSchema } from './channels.ts';
import { scopes } from './commands.ts';
import { ChangeSchema } from './notes.ts';
import { PublicationStateSchema } from './publications.ts';
import { PersonaSchema, RangeTypeSchema, ResolutionSchema, RevisionKindSchema } from './stored.ts';
import { DisabledReasonSchema, WebhookDeliveryStatusSchema, WebhookEventSchema } from './webhooks.ts';

const closed = { additionalProperties: false } as const;
const count = (example = 1) => Type.Integer({ minimum: 0, examples: [example] });
const text = (example: string, description?: string) =>
  Type.String({ examples: [example], ...(description !== undefined && { description }) });
const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** Timestamps are ISO 8601 in UTC (spec part 2). */
const time = Type.String({ format: 'date-time', examples: ['2026-03-02T09:00:00.000Z'] });
const day = Type.String({ format: 'date', examples: ['2026-03-02'] });

const repoId = text('repo_mty60gmc8bsf7n553j66tq8t971m');
const rangeId = text('range_mt01m7yce69yvkj4vwe6pref0e56');
const draftId = text('draft_mt37dtrf1ttssyjd67vpedqfsfqc');
const orgId = text('org_00wn60bwmsdmmshz0v9bhyrkddrx');
const keyId = text('key_0001m7yce69yvkj4vwe6pref0e56');
const secretId = text('secret_0001m7yce69yvkj4vwe6pref0e56');
const publicationId = text('pub_mt01m7yce69yvkj4vwe6pref0e56');
const endpointId = text('ep_0001m7yce69yvkj4vwe6pref0e56');
const deliveryId = text('dlv_00wn60bwmsdmmshz0v9bhyrkddrx');
const markdown = text('## New\n\n- Land on rough ground <!-- rn:pr:41 -->\n', 'Markdown');

/** Parameters of paths, by name. */
export const params = {
  repoId,
  rangeId,
  draftId,
  orgId,
  keyId,
  secretId,
  publicationId,
  channel: text('workspace_chat'),
  endpointId,
  deliveryId,
  revision: Type.String({ pattern: '^[1-9]\\d{0,9}$', examples: ['1'] }),
} as const;

/** A page of a list (spec part 4). */
export function listOf<T extends TSchema>(name: string, item: T, besides: TProperties = {}): TObject {
  const items: TProperties = { [name]: Type.Array(item, { maxItems: 100 }) };
  const rest = { total: count(), hasMore: Type.Boolean({ examples: [false] }), nextOffset: orNull(count(20)) };
  return Type.Object({ ...items, ...rest, ...besides }, closed);
}

export const ErrorSchema = Type.Object(
  {
    error: text('Not found', 'type of the error'),
    message: text('Draft "draft_1" is not found or not accessible.', 'for people'),
    details: Type.Optional(
      Type.Record(Type.String(), Type.String(), { description: 'by field: what was expected, what arrived' }),
    ),
    retryAfter: Type.Optional(Type.Integer({ minimum: 0, description: 'seconds until the same request can succeed' })),
  },
  closed,
);

export const RepositorySchema = Type.Object(
  {
    id: repoId,
    orgId,
    scmRepoId: orNull(Type.Integer({ description: 'number on its host', examples: [1001] })),
    fullName: text('acme/rocket'),
    defaultBranch: orNull(text('main')),
    state: Type.Union([Type.Literal('connected'), Type.Literal('unselected'), Type.Literal('disconnected')], {
      description: 'whether its events are taken',
    }),
    createdAt: time,
  },
  closed,
);

export const TagSchema = Type.Object(
  { name: text('v1.1.0'), sha: text('c41', 'hash of the commit'), date: time },
  closed,
);

export const BackfillSchema = Type.Object(
  {
    id: text('bf_mt01m7yce69yvkj4vwe6pref0e56'),
    repoId,
    state: Type.Union(['running', 'waiting', 'completed', 'failed', 'cancelled'].map((state) => Type.Literal(state))),
    phase: orNull(text('pulls', 'what is being read; null when it has ended')),
    percent: Type.Integer({ minimum: 0, maximum: 100, examples: [40] }),
    since: orNull(day),
    counts: Type.Record(Type.String(), count(), { description: 'what was read, by kind', examples: [{ pulls: 120 }] }),
    waits: Type.Object({ count: count(0), seconds: count(0), until: orNull(time) }, closed),
    error: Type.Optional(Type.String({ description: 'why it ended, or waits' })),
    startedAt: time,
    updatedAt: time,
    finishedAt: orNull(time),
  },
  closed,
);

const bounds = {
  fromTag: Type.Optional(text('v1.0.0')),
  toTag: Type.Optional(text('v1.1.0')),
  fromDate: Type.Optional(Type.String({ format: 'date' })),
  toDate: Type.Optional(Type.String({ format: 'date' })),
  fromPrNumber: Type.Optional(Type.Integer()),
  toPrNumber: Type.Optional(Type.Integer()),
};

export const RangeSchema = Type.Object(
  {
    id: rangeId,
    repoId,
    type: RangeTypeSchema,
    ...bounds,
    compareUrl: Type.Optional(text('https://github.com/acme/rocket/compare/v1.0.0...v1.1.0', 'between the two tags')),
    prCount: count(),
    issueCount: count(),
    resolution: ResolutionSchema,
    createdAt: time,
    updatedAt: time,
  },
  closed,
);

export const ChangeReplySchema = Type.Object(
  {
    ...ChangeSchema.properties,
    number: Type.Optional(Type.Integer({ description: 'of a pull request or issue', examples: [41] })),
    title: text('Land on rough ground', 'first line, as captured'),
  },
  closed,
);

export const TicketSchema = Type.Object(
  {
    id: draftId,
    status: Type.Literal('processing'),
    estimatedTime: Type.Integer({ minimum: 0, description: 'seconds', examples: [1] }),
  },
  closed,
);

export const DraftSchema = Type.Object(
  {
    id: draftId,
    releaseRangeId: rangeId,
    persona: PersonaSchema,
    status: Type.Union([Type.Literal('ready'), Type.Literal('processing'), Type.Literal('failed')]),
    revision: count(),
    bodyMd: markdown,
    flags: Type.Object(
      {
        highlights: Type.Array(Type.String(), { examples: [['Land on rough ground']] }),
        contributors: Type.Array(Type.String(), { description: 'handles', examples: [['ada']] }),
        upgradeInstructions: text(''),
      },
      closed,
    ),
    error: Type.Optional(Type.String({ description: 'why it could not be written' })),
    createdAt: time,
    updatedAt: time,
  },
  closed,
);

export const DraftUpdateSchema = Type.Object({ id: draftId, bodyMd: markdown, updatedAt: time }, closed);

export const DraftRestoreSchema = Type.Object(
  { id: draftId, revision: count(3), updatedAt: time, bodyMd: markdown },
  closed,
);

const revision = {
  number: Type.Integer({ minimum: 1, examples: [2] }),
  kind: RevisionKindSchema,
  by: orNull(text('key_0001m7yce69yvkj4vwe6pref0e56', 'id of the API key; null for what the service wrote')),
  bytes: count(50),
  createdAt: time,
};

export const RevisionSchema = Type.Object(revision, closed);

export const RevisionTextSchema = Type.Object({ draftId, ...revision, bodyMd: markdown }, closed);

export const StatsSchema = Type.Object(
  {
    currentMonth: Type.String({ pattern: '^\\d{4}-\\d{2}$', examples: ['2026-11'] }),
    activeRepos: count(4),
    draftsGenerated: count(31),
    publishedReleases: count(0),
    apiCalls: count(15_201),
    billingTier: text('standard'),
    usagePercentage: Type.Number({ minimum: 0, examples: [5.07] }),
  },
  closed,
);

const key = {
  id: keyId,
  name: text('ci'),
  prefix: Type.Union([Type.Literal('rn_live_'), Type.Literal('rn_test_')]),
  last4: text('FTC8'),
  orgId: orNull(orgId),
  scopes: Type.Array(Type.Union([...scopes, '*' as const].map((scope) => Type.Literal(scope))), {
    examples: [['repos:read', 'drafts:read']],
  }),
  status: Type.Union([Type.Literal('active'), Type.Literal('expired'), Type.Literal('revoked')]),
  createdAt: time,
  createdBy: orNull(keyId),
  lastUsedAt: orNull(time),
  expiresAt: orNull(time),
  revokedAt: orNull(time),
  rotatedTo: orNull(keyId),
  rotateBy: time,
  reminder: orNull(text('The key is older than six months: rotate it.')),
};

export const KeySchema = Type.Object(key, closed);

export const NewKeySchema = Type.Object(
  { ...key, key: text('rn_live_…', 'the key itself, in this reply alone') },
  closed,
);

export const OrganizationSchema = Type.Object(
  {
    id: orgId,
    login: text('acme'),
    host: text('https://github.com'),
    tier: text('standard'),
    refuseInternalOnPublicChannels: Type.Boolean({ examples: [false] }),
    createdAt: time,
  },
  closed,
);

const secret = {
  id: secretId,
  name: text('hooks of acme'),
  host: text('https://github.com'),
  orgId: orNull(orgId),
  createdAt: time,
  rotatedAt: orNull(time),
  overlapEndsAt: orNull(time),
};

export const WebhookSecretSchema = Type.Object(secret, closed);

export const NewWebhookSecretSchema = Type.Object(
  { ...secret, secret: Type.Optional(text('3f1c0a…', 'a text made here, in this reply alone')) },
  closed,
);

export const RevokedSchema = Type.Object({ id: secretId, revokedAt: time }, closed);

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

export const QueuedSchema = Type.Object(
  { status: Type.Literal('queued'), delivery: text('9b5f4522-1775-4c3b-804b-580a7044b6d8') },
  closed,
);

export const ProcessedSchema = Type.Object(
  { status: Type.Literal('processed'), reason: text('the delivery was processed before') },
  closed,
);

/** A publication (spec part 2), and what became of its attempts. */
export const PublicationSchema = Type.Object(
  {
    id: publicationId,
    status: PublicationStateSchema,
    url: orNull(text('https://github.com/acme/rocket/releases/tag/v1.1.0', 'location of the published item')),
    publishedAt: orNull(time),
    draftId,
    revision: Type.Integer({ minimum: 1, description: 'of the draft whose text it is', examples: [2] }),
    channel: ChannelNameSchema,
    draft: Type.Boolean({ description: 'as a draft release of the host', examples: [false] }),
    error: orNull(text('The receiver answered 404.', 'why the last attempt failed')),
    outcomeUnknown: Type.Boolean({
      description: 'it may have arrived, and the receiver cannot be asked',
      examples: [false],
    }),
    attempts: Type.Array(
      Type.Object({ at: time, endedAt: orNull(time), error: orNull(text('The receiver answered 503.')) }, closed),
      { description: 'the newest twenty' },
    ),
    nextAttemptAt: orNull(time),
    counts: Type.Record(Type.String(), count(), {
      description: 'what the channel counted',
      examples: [{ accepted: 12, rejected: 0 }],
    }),
    createdAt: time,
    updatedAt: time,
  },
  closed,
);

const endpoint = {
  id: endpointId,
  orgId,
  url: text('https://hooks.acme.example/tidings'),
  description: text('chat bot'),
  events: Type.Array(WebhookEventSchema, { examples: [['draft.published']] }),
  enabled: Type.Boolean({ examples: [true] }),
  disabledReason: orNull(DisabledReasonSchema),
  disabledAt: orNull(time),
  failingSince: orNull({ ...time, description: 'the first failure since the last success' }),
  overlapEndsAt: orNull({ ...time, description: 'until when an old secret signs beside the new one' }),
  createdAt: time,
  updatedAt: time,
};

export const WebhookEndpointSchema = Type.Object(endpoint, closed);

export const NewWebhookEndpointSchema = Type.Object(
  { ...endpoint, secret: text('whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD', 'in this reply alone') },
  closed,
);

export const DeletedWebhookEndpointSchema = Type.Object({ id: endpointId, deletedAt: time }, closed);

const attempt = Type.Object(
  {
    at: time,
    ms: count(84),
    status: orNull(Type.Integer({ examples: [503], description: 'what the receiver answered' })),
    error: orNull(text('The receiver answered 503.')),
    response: orNull(text('try later', 'the beginning of its body')),
  },
  closed,
);

export const WebhookDeliverySchema = Type.Object(
  {
    id: deliveryId,
    endpointId,
    eventId: text('evt_00wn60bwmsdmmshz0v9bhyrkddrx', 'webhook-id of every attempt'),
    event: text('draft.generated'),
    status: WebhookDeliveryStatusSchema,
    payload: Type.Object(
      { event: text('draft.generated'), timestamp: time, data: Type.Record(Type.String(), Type.Unknown()) },
      closed,
    ),
    attemptCount: count(1),
    attempts: Type.Array(attempt, { description: 'the newest twenty' }),
    nextAttemptAt: orNull({ ...time, description: 'a time that is over means: as soon as it is its turn' }),
    createdAt: time,
  },
  closed,
);

export const DeletedPublicationSchema = Type.Object(
  {
    id: publicationId,
    deletedAt: time,
    message: text('What the channel workspace_chat has got stays there.', 'what deleting did not do'),
  },
  closed,
);

export const PayloadSchema = Type.Object(
  {
    channel: ChannelNameSchema,
    payload: Type.Unknown({ description: 'in the shape of the channel', examples: [{ text: 'Rocket v1.1.0' }] }),
  },
  closed,
);

export const ChannelSchema = Type.Object(
  {
    channel: ChannelNameSchema,
    connected: Type.Boolean({ examples: [true] }),
    source: orNull(
      Type.Union([Type.Literal('repository'), Type.Literal('organization'), Type.Literal('default')], {
        description: 'where the connection in force comes from',
      }),
    ),
    public: Type.Boolean({ description: 'whether outsiders read it', examples: [false] }),
    settings: Type.Record(Type.String(), Type.Unknown(), { description: 'without secrets', examples: [{}] }),
    hasSecret: Type.Record(Type.String(), Type.Boolean(), {
      description: 'which secrets are set',
      examples: [{ webhookUrl: true }],
    }),
    createdAt: orNull(time),
    updatedAt: orNull(time),
  },
  closed,
);

export const ChannelTestSchema = Type.Object(
  {
    channel: ChannelNameSchema,
    ok: Type.Boolean({ examples: [true] }),
    message: text('A test message was sent.', 'what was done, or what was wrong'),
  },
  closed,
);

export const ReplayedSchema = Type.Object({ endpointId, replayed: count(12) }, closed);
