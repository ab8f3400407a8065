/**
 * What the operations on publications and on the connections of channels promise.
 */
import { EmptyBodySchema, PublishBodySchema, PutChannelBodySchema } from '../api.ts';
import { listOf } from '../replies/fields.ts';
import {
  ChannelSchema,
  ChannelTestSchema,
  DeletedPublicationSchema,
  PayloadSchema,
  PublicationSchema,
} from '../replies/publishing.ts';
import type { Contracts } from './contract.ts';

export const publishingContracts = {
  publishDraft: {
    tag: 'Publishing',
    summary: 'Publish a draft to a channel',
    example: { draftId: 'draft_mt37dtrf1ttssyjd67vpedqfsfqc', channel: 'hosted' },
    body: PublishBodySchema,
    replies: { 201: PublicationSchema },
    refusals: [404],
  },
  previewPublication: {
    tag: 'Publishing',
    summary: 'Get what a channel would be sent',
    example: { draftId: 'draft_mt37dtrf1ttssyjd67vpedqfsfqc', channel: 'hosted' },
    body: PublishBodySchema,
    replies: { 200: PayloadSchema },
    refusals: [404, 409],
  },
  listPublications: {
    tag: 'Publishing',
    summary: 'List the publications of a draft or a repository',
    replies: { 200: listOf('publications', PublicationSchema) },
    refusals: [404],
  },
  getPublication: { tag: 'Publishing', summary: 'Get a publication', replies: { 200: PublicationSchema } },
  resendPublication: {
    tag: 'Publishing',
    summary: 'Send a publication once more',
    example: {},
    body: EmptyBodySchema,
    replies: { 201: PublicationSchema },
  },
  deletePublication: {
    tag: 'Publishing',
    summary: 'Delete a publication, and its page if it has one',
    replies: { 200: DeletedPublicationSchema },
    refusals: [409],
  },
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
    summary: 'Connect a channel; a secret that is left out stays',
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
    summary: 'Try the connection of a channel',
    example: {},
    body: EmptyBodySchema,
    replies: { 200: ChannelTestSchema },
    refusals: [409],
  },
} satisfies Contracts;
