/**
 * Bodies of the outgoing webhooks, by event. Later versions may add fields to a body, so the shapes allow unknown
 * fields and receivers must accept them.
 */
import { type TSchema, Type } from '@sinclair/typebox';
import { testEvent, webhookData } from '../webhooks.ts';
import { draftId, endpointId, publicationId, rangeId, repoId, time } from './fields.ts';

/** The description of one event's webhook, and its body with an example. */
export interface OutgoingWebhook {
  summary: string;
  body: TSchema;
}

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
};

export const DraftGeneratedSchema = bodyOf('draft.generated', webhookData['draft.generated'], examples.draft);
export const DraftPublishedSchema = bodyOf('draft.published', webhookData['draft.published'], {
  ...examples.draft,
  ...examples.publication,
});
export const RangeCreatedSchema = bodyOf('range.created', webhookData['range.created'], examples.range);
export const EndpointTestSchema = bodyOf(testEvent, Type.Object({ endpointId }), { endpointId: first(endpointId) });

/** All outgoing webhooks, by event. */
export const outgoingWebhooks: Readonly<Record<string, OutgoingWebhook>> = {
  'draft.generated': { summary: 'A draft is ready', body: DraftGeneratedSchema },
  'draft.published': { summary: 'A draft was published to a channel', body: DraftPublishedSchema },
  'range.created': { summary: 'A release range was created', body: RangeCreatedSchema },
  [testEvent]: { summary: 'A test of the endpoint was requested', body: EndpointTestSchema },
};

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
