/**
 * Replies about publications and the connections of channels. Shapes only; `store/` and `api/` make the bodies.
 */

import { Type } from '@sinclair/typebox';
import { ChannelNameSchema } from '../channels.ts';
import { PublicationStateSchema } from '../publications.ts';
import { closed, count, draftId, orNull, publicationId, text, time } from './fields.ts';

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
