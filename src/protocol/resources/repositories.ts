/**
 * Requests, replies and contracts of the operations on repositories, their tags and notes settings. `store/`
 * makes the bodies of replies.
 */
import { type Static, Type } from '@sinclair/typebox';
import { NotesSettingsSchema } from '../notes.ts';
import { SettingsPreviewSchema } from '../settings-preview.ts';
import { BackfillSchema } from './backfills.ts';
import type { Contracts } from './contract.ts';
import { closed, count, orgId, orNull, repoId, text, time } from './fields.ts';
import { listOf, paging } from './paging.ts';

export const UpdateRepositoryBodySchema = Type.Object({ selected: Type.Boolean() }, closed);
export type UpdateRepositoryBody = Static<typeof UpdateRepositoryBodySchema>;

/** Query of List Repositories. */
export const ListRepositoriesQuerySchema = Type.Object(
  {
    fullName: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
    q: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
    include: Type.Optional(Type.Literal('unreleased')),
    ...paging,
  },
  closed,
);
export type ListRepositoriesQuery = Static<typeof ListRepositoriesQuerySchema>;

/** Query of Get Repository. */
export const GetRepositoryQuerySchema = Type.Object(
  { include: Type.Optional(Type.Union([Type.Literal('unreleased'), Type.Literal('backfill')])) },
  closed,
);
export type GetRepositoryQuery = Static<typeof GetRepositoryQuerySchema>;

/** Query of the preview of notes settings. */
export const PreviewSettingsQuerySchema = Type.Object(
  {
    toTag: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
    unreleased: Type.Optional(Type.Literal('true')),
    include: Type.Optional(Type.Literal('text')),
  },
  closed,
);

const entries = 'as in `diagnostics` of the unreleased changes';

const UnreleasedCountSchema = Type.Object(
  {
    pulls: count(41),
    issues: count(3),
    commits: count(2),
    changes: Type.Integer({
      minimum: 0,
      examples: [38],
      description: `number of changes that have their own entry in the notes, ${entries}`,
    }),
    dependencyUpdates: Type.Integer({
      minimum: 0,
      examples: [4],
      description: `number of pull requests that the notes list together as dependency updates, ${entries}`,
    }),
    unlabelled: Type.Integer({
      minimum: 0,
      examples: [5],
      description: `number of these changes whose labels do not say what kind of change they are, ${entries}`,
    }),
    outdated: Type.Optional(
      Type.Literal(true, {
        description: 'the repository has changed since it was counted, and the new count is not ready; else absent',
      }),
    ),
  },
  {
    ...closed,
    description:
      'what was merged to the default branch since its newest release; null while it is being counted. Only in replies to requests with `include=unreleased`',
  },
);

const LastTagSchema = Type.Object(
  { name: text('v1.1.0'), date: time },
  {
    ...closed,
    description:
      'release that `unreleased` begins with: the newest one that the default branch contains; null if there is none, or while `unreleased` is null. Only in replies to requests with `include=unreleased`',
  },
);

export const RepositorySchema = Type.Object(
  {
    id: repoId,
    orgId,
    scmRepoId: Type.Optional(
      Type.Integer({
        description: 'number of the repository on its host; absent until the host sends the number',
        examples: [1001],
      }),
    ),
    fullName: text('acme/rocket'),
    defaultBranch: orNull(text('main')),
    state: Type.Union([Type.Literal('connected'), Type.Literal('unselected'), Type.Literal('disconnected')], {
      description: 'whether events of the repository are captured',
    }),
    createdAt: time,
    ownerConfirmed: Type.Boolean({
      description:
        'whether the host has confirmed the owner of the repository; the service uses its credentials only for confirmed repositories',
      examples: [true],
    }),
    ownerUnconfirmedReason: orNull(
      Type.String({
        description: 'why the owner is not confirmed; null if the owner is confirmed',
        examples: ['The owner has not been checked with the host yet.'],
      }),
    ),
    lastEventAt: orNull(
      Type.String({
        format: 'date-time',
        examples: ['2026-03-02T09:00:00.000Z'],
        description: 'when the newest delivery of the repository was received; null if none is known',
      }),
    ),
    lastTag: Type.Optional(orNull(LastTagSchema)),
    unreleased: Type.Optional(orNull(UnreleasedCountSchema)),
    backfill: Type.Optional(
      Type.Union([BackfillSchema, Type.Null()], {
        description:
          'newest backfill of the repository; null if there was none. Only in replies to requests with `include=backfill`',
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
  previewRepositorySettings: {
    tag: 'Repositories',
    summary:
      'Show which difference settings would make to the drafts of the last five tag ranges, of the range of one tag, or of the unreleased changes; fields that are left out have their defaults, and nothing is written',
    example: { titles: { fix: 'Mended' } },
    body: NotesSettingsSchema,
    replies: { 200: SettingsPreviewSchema },
  },
} satisfies Contracts;
