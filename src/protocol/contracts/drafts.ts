/**
 * What the operations on release ranges, drafts and their revisions promise.
 */

import { Type } from '@sinclair/typebox';
import {
  CreateRangeBodySchemas,
  GenerateDraftBodySchema,
  RestoreDraftBodySchema,
  UpdateDraftBodySchema,
} from '../api.ts';
import { DiagnosticsSchema } from '../notes.ts';
import {
  ChangeReplySchema,
  DraftRestoreSchema,
  DraftSchema,
  DraftUpdateSchema,
  RangeSchema,
  RevisionSchema,
  RevisionTextSchema,
  TicketSchema,
} from '../replies/drafts.ts';
import { listOf } from '../replies/fields.ts';
import type { Contracts } from './contract.ts';

const ranges = Object.values(CreateRangeBodySchemas);
const schema = (name: string) => `#/components/schemas/${name}`;

export const draftContracts = {
  listRanges: {
    tag: 'Ranges',
    summary: 'List the release ranges of a repository',
    replies: { 200: listOf('ranges', RangeSchema) },
    refusals: [404],
  },
  getRange: { tag: 'Ranges', summary: 'Get a release range', replies: { 200: RangeSchema } },
  createRange: {
    tag: 'Ranges',
    summary: 'Create a release range between two tags, days or pull request numbers',
    example: {
      type: 'TAG_BASED',
      repoId: 'repo_mty60gmc8bsf7n553j66tq8t971m',
      fromTag: 'v1.0.0',
      toTag: 'v1.1.0',
    },
    body: Type.Union(ranges, {
      discriminator: {
        propertyName: 'type',
        mapping: {
          TAG_BASED: schema('TagRange'),
          DATE_BASED: schema('DateRange'),
          PR_BASED: schema('PullRequestRange'),
        },
      },
    }),
    replies: { 201: RangeSchema },
    refusals: [404],
  },
  listRangeChanges: {
    tag: 'Ranges',
    summary: 'List why a range holds what it holds',
    replies: { 200: listOf('changes', ChangeReplySchema, { diagnostics: DiagnosticsSchema }) },
  },
  listDrafts: {
    tag: 'Drafts',
    summary: 'List the drafts of a range',
    replies: { 200: listOf('drafts', DraftSchema) },
    refusals: [404],
  },
  getDraft: { tag: 'Drafts', summary: 'Get a draft', replies: { 200: DraftSchema } },
  generateDraft: {
    tag: 'Drafts',
    summary: 'Generate the draft of a range for a persona',
    example: { persona: 'engineer' },
    body: GenerateDraftBodySchema,
    replies: { 201: TicketSchema },
    refusals: [409],
  },
  updateDraft: {
    tag: 'Drafts',
    summary: 'Replace the text of a draft, its flags or both',
    example: { bodyMd: '## Rocket 1.1\n\nLands anywhere.\n' },
    body: UpdateDraftBodySchema,
    replies: { 200: DraftUpdateSchema },
    conditional: true,
  },
  listDraftRevisions: {
    tag: 'Drafts',
    summary: 'List the texts that a draft has had',
    replies: { 200: listOf('revisions', RevisionSchema) },
  },
  getDraftRevision: {
    tag: 'Drafts',
    summary: 'Get a revision with its text',
    replies: { 200: RevisionTextSchema },
  },
  restoreDraft: {
    tag: 'Drafts',
    summary: 'Make the text and flags of a revision the newest ones',
    body: RestoreDraftBodySchema,
    replies: { 200: DraftRestoreSchema },
    conditional: true,
  },
} satisfies Contracts;
