/**
 * Requests, replies and contracts of the operations on channel connections. `store/` and `api/` make the bodies
 * of replies.
 */
import { type Static, Type } from '@sinclair/typebox';
import { ChannelNameSchema, channelTraits } from '../channels.ts';
import { channelNames } from '../names.ts';
import type { Contracts } from './contract.ts';
import { closed, EmptyBodySchema, orNull, text, time } from './fields.ts';
import { listOf, paging } from './paging.ts';

const ownership = {
  repoId: Type.Optional(Type.String({ minLength: 1 })),
  /**
   * The organization that a request with an instance key is about. An instance key itself belongs to no organization.
   */
  orgId: Type.Optional(Type.String({ minLength: 1 })),
};

/**
 * Selects a connection. With `repoId`, it is the connection of that repository. Without `repoId`, it is the connection
 * of the organization.
 */
export const ChannelQuerySchema = Type.Object(ownership, closed);
export type ChannelQuery = Static<typeof ChannelQuerySchema>;

export const ListChannelsQuerySchema = Type.Object(
  { ...ownership, limit: paging.limit, offset: paging.offset },
  closed,
);
export type ListChannelsQuery = Static<typeof ListChannelsQuerySchema>;

/** All settings of a connection. Only secrets may be left out. A secret that is left out keeps its stored value. */
export const PutChannelBodySchema = Type.Object(
  { settings: Type.Union(channelNames.map((name) => Type.Partial(channelTraits[name].settings, { title: name }))) },
  closed,
);

export const ChannelSchema = Type.Object(
  {
    channel: ChannelNameSchema,
    connected: Type.Boolean({ examples: [true] }),
    source: orNull(
      Type.Union([Type.Literal('repository'), Type.Literal('organization'), Type.Literal('default')], {
        description: 'level of the connection that is used',
      }),
    ),
    public: Type.Boolean({
      description: 'whether people outside the organization can read the channel',
      examples: [false],
    }),
    settings: Type.Record(Type.String(), Type.Unknown(), { description: 'without secrets', examples: [{}] }),
    hasSecret: Type.Record(Type.String(), Type.Boolean(), {
      description: 'for each secret, whether it is set',
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
    message: text('A test message was sent.', 'action that the test took, or the reason why the test failed'),
  },
  closed,
);

export const channelContracts = {
  listChannels: {
    tag: 'Publishing',
    summary: 'List the channels with their connections',
    replies: { 200: listOf('channels', ChannelSchema) },
    refusals: [404],
  },
  getChannel: {
    tag: 'Publishing',
    summary: 'Get the connection of a channel, without its secrets',
    replies: { 200: ChannelSchema },
  },
  putChannel: {
    tag: 'Publishing',
    summary: 'Connect a channel; secrets that the request omits keep their values',
    example: { settings: {} },
    body: PutChannelBodySchema,
    replies: { 200: ChannelSchema },
    conditional: true,
  },
  removeChannel: {
    tag: 'Publishing',
    summary: 'Remove the connection of a channel',
    replies: { 200: ChannelSchema },
  },
  testChannel: {
    tag: 'Publishing',
    summary: 'Test the connection of a channel',
    example: {},
    body: EmptyBodySchema,
    replies: { 200: ChannelTestSchema },
    refusals: [409],
  },
} satisfies Contracts;
