/**
 * Requests, replies and contracts of the operations on drafts and their revisions. `store/` makes the bodies of
 * replies.
 */
import { type Static, Type } from '@sinclair/typebox';
import { ConflictSchema } from '../conflicts.ts';
import { DraftEntrySchema } from '../draft-entries.ts';
import { OutdatedReasonSchema } from '../outdated.ts';
import { PersonaSchema, RevisionKindSchema } from '../stored.ts';
import type { Contracts } from './contract.ts';
import { closed, count, draftId, markdown, orNull, rangeId, text, time } from './fields.ts';
import { listOf, nextCursor, paging } from './paging.ts';

const DraftStateSchema = Type.Union([Type.Literal('ready'), Type.Literal('processing'), Type.Literal('failed')]);

export const ListDraftsQuerySchema = Type.Object(
  {
    releaseRangeId: Type.Optional(Type.String({ minLength: 1 })),
    repoId: Type.Optional(Type.String({ minLength: 1 })),
    persona: Type.Optional(PersonaSchema),
    outdated: Type.Optional(Type.Union([Type.Literal('true'), Type.Literal('false')])),
    status: Type.Optional(DraftStateSchema),
    published: Type.Optional(Type.Union([Type.Literal('true'), Type.Literal('false')])),
    view: Type.Optional(Type.Union([Type.Literal('full'), Type.Literal('summary')], { default: 'full' })),
    ...paging,
    cursor: Type.Optional(Type.String({ minLength: 1 })),
  },
  closed,
);
export type ListDraftsQuery = Static<typeof ListDraftsQuerySchema>;

export const GenerateDraftBodySchema = Type.Object(
  {
    persona: PersonaSchema,
    force: Type.Optional(
      Type.Boolean({ description: 'generates the draft even if retention has erased changes of the range' }),
    ),
  },
  closed,
);
export type GenerateDraftBody = Static<typeof GenerateDraftBodySchema>;

const bodyMd = Type.String({ description: 'the whole text, at most 1 MiB' });

/**
 * Flags that a person sets. Each flag is optional. Null removes the person's value of a flag, so that the generated
 * value is shown again.
 */
const FlagEditsSchema = Type.Object(
  {
    highlights: Type.Optional(
      Type.Union([Type.Array(Type.String({ minLength: 1, maxLength: 300 }), { maxItems: 20 }), Type.Null()]),
    ),
    contributors: Type.Optional(
      Type.Union([Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: 1_000 }), Type.Null()]),
    ),
    upgradeInstructions: Type.Optional(Type.Union([Type.String({ maxLength: 65_536 }), Type.Null()])),
  },
  { ...closed, minProperties: 1 },
);

/** An edit of a draft. It contains a text, flags or both. */
export const UpdateDraftBodySchema = Type.Object(
  { bodyMd: Type.Optional(bodyMd), flags: Type.Optional(FlagEditsSchema) },
  { ...closed, minProperties: 1 },
);
export type UpdateDraftBody = Static<typeof UpdateDraftBodySchema>;

/** An edit that does not contain `flags`. Such an edit must contain a text. */
export const UpdateDraftTextSchema = Type.Object({ bodyMd }, closed);

export const RestoreDraftBodySchema = Type.Object(
  { revision: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }) },
  closed,
);
export type RestoreDraftBody = Static<typeof RestoreDraftBodySchema>;

export const TicketSchema = Type.Object(
  {
    id: draftId,
    status: Type.Literal('processing'),
    estimatedTime: Type.Integer({ minimum: 0, description: 'seconds', examples: [1] }),
  },
  closed,
);

const flags = Type.Object(
  {
    highlights: Type.Array(Type.String(), { examples: [['Land on rough ground']] }),
    contributors: Type.Array(Type.String(), { description: 'handles', examples: [['ada']] }),
    upgradeInstructions: text(''),
  },
  closed,
);

const conflicts = Type.Array(ConflictSchema, {
  description: 'words of a person about changes that the generated draft no longer contains',
});

export const DraftSchema = Type.Object(
  {
    id: draftId,
    releaseRangeId: rangeId,
    persona: PersonaSchema,
    status: DraftStateSchema,
    revision: count(),
    bodyMd: markdown,
    flags,
    conflicts,
    outdated: Type.Boolean({
      description: 'whether generating the draft now would give another text than its last generation',
      examples: [false],
    }),
    outdatedBecause: Type.Array(OutdatedReasonSchema, {
      description: 'why the draft is outdated, at most 100 reasons',
      examples: [[]],
    }),
    error: Type.Optional(Type.String({ description: 'why the draft could not be generated' })),
    createdAt: time,
    updatedAt: time,
  },
  closed,
);

/** A draft in a list. With `view=summary`, the fields that contain texts are absent. */
export const ListedDraftSchema = Type.Object(
  {
    ...DraftSchema.properties,
    bodyMd: Type.Optional(markdown),
    flags: Type.Optional(flags),
    conflicts: Type.Optional(conflicts),
  },
  closed,
);

export const DraftUpdateSchema = Type.Object(
  { id: draftId, bodyMd: markdown, flags: Type.Optional(flags), conflicts, updatedAt: time },
  closed,
);

/** Flags of a revision. The field is absent if no person had edited the flags. Then the generated flags apply. */
const editedFlags = Type.Optional(flags);

export const DraftRestoreSchema = Type.Object(
  { id: draftId, revision: count(3), updatedAt: time, bodyMd: markdown, conflicts, flags: editedFlags },
  closed,
);

const revision = {
  number: Type.Integer({ minimum: 1, examples: [2] }),
  kind: RevisionKindSchema,
  by: orNull(
    text('key_0001m7yce69yvkj4vwe6pref0e56', 'id of the API key that wrote the revision; null if the service wrote it'),
  ),
  bytes: count(50),
  createdAt: time,
  flags: editedFlags,
};

export const RevisionSchema = Type.Object(revision, closed);

export const RevisionTextSchema = Type.Object({ draftId, ...revision, bodyMd: markdown }, closed);

export const ListEntriesQuerySchema = Type.Object({ limit: paging.limit, offset: paging.offset }, closed);
export type ListEntriesQuery = Static<typeof ListEntriesQuerySchema>;

export const draftContracts = {
  listDrafts: {
    tag: 'Drafts',
    summary: 'List the drafts of a range, of a repository or of all repositories',
    replies: {
      200: listOf('drafts', ListedDraftSchema, { nextCursor: nextCursor('range_mt01m7yce69yvkj4vwe6pref0e56') }),
    },
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
  listDraftEntries: {
    tag: 'Drafts',
    summary: 'List the entries of a draft as data, with the words of its current text',
    replies: { 200: listOf('entries', DraftEntrySchema) },
  },
  listDraftRevisions: {
    tag: 'Drafts',
    summary: 'List the revisions of a draft',
    replies: { 200: listOf('revisions', RevisionSchema) },
  },
  getDraftRevision: {
    tag: 'Drafts',
    summary: 'Get a revision with its text',
    replies: { 200: RevisionTextSchema },
  },
  restoreDraft: {
    tag: 'Drafts',
    summary: 'Restore the text and flags of a revision',
    body: RestoreDraftBodySchema,
    replies: { 200: DraftRestoreSchema },
    conditional: true,
  },
} satisfies Contracts;
