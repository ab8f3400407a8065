/**
 * Bodies of the outgoing webhooks, by event. Later versions may add fields to a body, so the shapes allow unknown
 * fields and receivers must accept them.
 */
import { type TSchema, Type } from '@sinclair/typebox';
import { testEvent, webhookData } from '../webhooks.ts';
import { backfillId, draftId, endpointId, publicationId, rangeId, repoId, time } from './fields.ts';

/** One event's webhook: what happened, when the event is sent, and the body with an example. */
export interface OutgoingWebhook {
  summary: string;
  description: string;
  /** The filters of endpoints that can stop the event. */
  filters: readonly WebhookFilter[];
  body: TSchema;
}

/** The filters of endpoints. */
export const webhookFilters = ['personas', 'channels', 'repositories'] as const;
export type WebhookFilter = (typeof webhookFilters)[number];

const examples = {
  draft: { draftId: first(draftId), persona: 'customer', releaseRangeId: first(rangeId) },
  publication: { publicationId: first(publicationId), channel: 'workspace_chat', url: null },
  range: {
    releaseRangeId: first(rangeId),
    repoId: first(repoId),
    type: 'TAG_BASED',
    fromTag: 'v1.0.0',
    toTag: 'v1.1.0',
    compareUrl: 'https://github.com/acme/rocket/compare/v1.0.0...v1.1.0',
    prCount: 12,
    issueCount: 3,
  },
  change: {
    releaseRangeId: first(rangeId),
    repoId: first(repoId),
    type: 'TAG_BASED',
    fromTag: 'v1.0.0',
    toTag: 'v1.1.0',
    before: { prCount: 12, issueCount: 3, resolution: 'commits' },
    after: { prCount: 13, issueCount: 3, resolution: 'compare' },
  },
  failure: {
    repoId: first(repoId),
    publicationId: first(publicationId),
    channel: 'workspace_chat',
    error: 'The chat refused the request (channel_not_found).',
    outcomeUnknown: false,
    attempts: 1,
    replacedBy: null,
  },
  backfill: {
    repoId: first(repoId),
    backfillId: first(backfillId),
    status: 'completed',
    since: null,
    counts: { pulls: 1240, issues: 310, tags: 42 },
    error: null,
  },
  connection: { repoId: first(repoId), fullName: 'acme/rocket', cause: 'delivery' },
};

export const DraftGeneratedSchema = bodyOf('draft.generated', webhookData['draft.generated'], examples.draft);
export const DraftPublishedSchema = bodyOf('draft.published', webhookData['draft.published'], {
  ...examples.draft,
  ...examples.publication,
});
export const DraftOutdatedSchema = bodyOf('draft.outdated', webhookData['draft.outdated'], {
  ...examples.draft,
  because: [{ number: 12, what: 'merged' }],
});
export const RangeCreatedSchema = bodyOf('range.created', webhookData['range.created'], examples.range);
export const RangeChangedSchema = bodyOf('range.changed', webhookData['range.changed'], examples.change);
export const PublicationFailedSchema = bodyOf('publication.failed', webhookData['publication.failed'], {
  ...examples.draft,
  ...examples.failure,
});
export const BackfillCompletedSchema = bodyOf(
  'backfill.completed',
  webhookData['backfill.completed'],
  examples.backfill,
);
export const RepositoryConnectedSchema = bodyOf(
  'repository.connected',
  webhookData['repository.connected'],
  examples.connection,
);
export const RepositoryDisconnectedSchema = bodyOf('repository.disconnected', webhookData['repository.disconnected'], {
  ...examples.connection,
  cause: 'installation',
});
export const EndpointTestSchema = bodyOf(testEvent, Type.Object({ endpointId }), { endpointId: first(endpointId) });

const described: Readonly<Record<string, Omit<OutgoingWebhook, 'filters'>>> = {
  'draft.generated': {
    summary: 'A draft is ready',
    description: 'Sent when a draft is ready, for the first time or after a new generation.',
    body: DraftGeneratedSchema,
  },
  'draft.published': {
    summary: 'A draft was published to a channel',
    description: 'Sent when a publication is completed, also when it was sent again.',
    body: DraftPublishedSchema,
  },
  'draft.outdated': {
    summary: 'A draft is outdated',
    description:
      'Sent when a draft becomes outdated: generating it would give another text now. Further changes send no event until the draft is generated again.',
    body: DraftOutdatedSchema,
  },
  'range.created': {
    summary: 'A release range was created',
    description: 'Sent when a release range was created, with its first counts.',
    body: RangeCreatedSchema,
  },
  'range.changed': {
    summary: 'A recount changed a release range',
    description:
      'Sent when a recount changed the counts or the resolution of a release range, and when an unreleased range became the range of its tag.',
    body: RangeChangedSchema,
  },
  'publication.failed': {
    summary: 'A publication failed',
    description: 'Sent when a publication ends as failed. An attempt that is tried again sends no event.',
    body: PublicationFailedSchema,
  },
  'backfill.completed': {
    summary: 'A backfill ended',
    description: 'Sent when a backfill ends. `status` states whether it is completed, failed or cancelled.',
    body: BackfillCompletedSchema,
  },
  'repository.connected': {
    summary: 'A repository was connected',
    description: 'Sent when the service begins to capture the events of a repository. `cause` is the reason.',
    body: RepositoryConnectedSchema,
  },
  'repository.disconnected': {
    summary: 'A repository was disconnected',
    description: 'Sent when the service stops capturing the events of a repository. `cause` is the reason.',
    body: RepositoryDisconnectedSchema,
  },
  [testEvent]: {
    summary: 'A test of the endpoint was requested',
    description: 'Sent when a test is requested. No endpoint has to subscribe to this event.',
    body: EndpointTestSchema,
  },
};

/** All outgoing webhooks, by event. */
export const outgoingWebhooks: Readonly<Record<string, OutgoingWebhook>> = Object.fromEntries(
  Object.entries(described).map(([event, webhook]) => [event, { ...webhook, filters: filtersOf(event, webhook.body) }]),
);

/** Returns the filters that can stop an event. Every event except a test is about a repository. */
function filtersOf(event: string, body: TSchema): WebhookFilter[] {
  const { persona, channel } = body.properties.data.properties;
  const applies = {
    personas: persona !== undefined,
    channels: channel !== undefined,
    repositories: event !== testEvent,
  };
  return webhookFilters.filter((name) => applies[name]);
}

function bodyOf(event: string, data: TSchema, example: object): TSchema {
  return Type.Object({
    event: Type.Literal(event),
    timestamp: { ...time, description: 'when the event happened' },
    data: { ...data, examples: [example] },
  });
}

function first({ examples: [example] = [] }: TSchema): unknown {
  return example;
}
