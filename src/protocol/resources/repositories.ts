/**
 * Requests, replies and contracts of the operations on repositories, their tags and notes settings. `store/`
 * makes the bodies of replies.
 */
import { type Static, Type } from '@sinclair/typebox';
import { NotesSettingsSchema } from '../notes.ts';
import type { Contracts } from './contract.ts';
import { closed, orgId, orNull, repoId, text, time } from './fields.ts';
import { listOf } from './paging.ts';

export const UpdateRepositoryBodySchema = Type.Object({ selected: Type.Boolean() }, closed);
export type UpdateRepositoryBody = Static<typeof UpdateRepositoryBodySchema>;

export const RepositorySchema = Type.Object(
  {
    id: repoId,
    orgId,
    scmRepoId: Type.Optional(
      Type.Integer({ description: 'number on its host; absent while the host has sent none', examples: [1001] }),
    ),
    fullName: text('acme/rocket'),
    defaultBranch: orNull(text('main')),
    state: Type.Union([Type.Literal('connected'), Type.Literal('unselected'), Type.Literal('disconnected')], {
      description: 'whether its events are captured',
    }),
    createdAt: time,
    ownerConfirmed: Type.Boolean({
      description:
        'whether the host has confirmed that the repository belongs to its organization; the service uses its credentials for no other',
      examples: [true],
    }),
    ownerUnconfirmedReason: orNull(
      Type.String({
        description: 'why it is not confirmed; null if it is',
        examples: ['The host has not been asked yet.'],
      }),
    ),
  },
  closed,
);

export const TagSchema = Type.Object(
  { name: text('v1.1.0'), sha: text('c41', 'hash of the commit'), date: time },
  closed,
);

export const repositoryContracts = {
  listRepositories: {
    tag: 'Repositories',
    summary: 'List repositories',
    replies: { 200: listOf('repos', RepositorySchema) },
  },
  getRepository: {
    tag: 'Repositories',
    summary: 'Get a repository',
    replies: { 200: RepositorySchema },
  },
  updateRepository: {
    tag: 'Repositories',
    summary: 'Connect a repository, or stop capturing its events',
    body: UpdateRepositoryBodySchema,
    replies: { 200: RepositorySchema },
    refusals: [409],
    conditional: true,
  },
  listRepositoryTags: {
    tag: 'Repositories',
    summary: 'List the tags of a repository',
    replies: { 200: listOf('tags', TagSchema) },
  },
  getRepositorySettings: {
    tag: 'Repositories',
    summary: 'Get the notes settings of a repository',
    replies: { 200: NotesSettingsSchema },
  },
  putRepositorySettings: {
    tag: 'Repositories',
    summary: 'Replace the notes settings of a repository; fields that are left out return to their defaults',
    example: { order: ['security'], titles: { fix: 'Mended' }, labels: { infra: { skip: true } } },
    body: NotesSettingsSchema,
    replies: { 200: NotesSettingsSchema },
    conditional: true,
  },
} satisfies Contracts;
