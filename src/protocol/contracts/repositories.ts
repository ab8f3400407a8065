/**
 * What the operations on repositories, their tags, settings and backfills promise.
 */
import { StartBackfillBodySchema, UpdateRepositoryBodySchema } from '../api.ts';
import { NotesSettingsSchema } from '../notes.ts';
import { listOf } from '../replies/fields.ts';
import { BackfillSchema, RepositorySchema, TagSchema } from '../replies/repositories.ts';
import type { Contracts } from './contract.ts';

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
    summary: 'Connect a repository, or stop its events',
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
    summary: 'Get how a repository wants its notes',
    replies: { 200: NotesSettingsSchema },
  },
  putRepositorySettings: {
    tag: 'Repositories',
    summary: 'Put how a repository wants its notes; what is left out goes back to its default',
    example: { order: ['security'], titles: { fix: 'Mended' }, labels: { infra: { skip: true } } },
    body: NotesSettingsSchema,
    replies: { 200: NotesSettingsSchema },
    conditional: true,
  },
  startBackfill: {
    tag: 'Repositories',
    summary: 'Fetch the older history of a repository from its host',
    example: { since: '2026-01-01' },
    body: StartBackfillBodySchema,
    replies: { 202: BackfillSchema },
  },
  getBackfill: {
    tag: 'Repositories',
    summary: 'Get how far the newest backfill of a repository is',
    replies: { 200: BackfillSchema },
  },
  cancelBackfill: {
    tag: 'Repositories',
    summary: 'Cancel the backfill of a repository that is under way',
    replies: { 200: BackfillSchema },
    refusals: [409],
  },
} satisfies Contracts;
