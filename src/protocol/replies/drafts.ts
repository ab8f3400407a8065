/**
 * Replies about release ranges, drafts and their revisions. Shapes only; `store/` makes the bodies.
 */

import { Type } from '@sinclair/typebox';
import { ChangeSchema } from '../notes.ts';
import { PersonaSchema, RangeTypeSchema, ResolutionSchema, RevisionKindSchema } from '../stored.ts';
import { closed, count, draftId, markdown, orNull, rangeId, repoId, text, time } from './fields.ts';

const bounds = {
  fromTag: Type.Optional(text('v1.0.0')),
  toTag: Type.Optional(text('v1.1.0')),
  fromDate: Type.Optional(Type.String({ format: 'date' })),
  toDate: Type.Optional(Type.String({ format: 'date' })),
  fromPrNumber: Type.Optional(Type.Integer()),
  toPrNumber: Type.Optional(Type.Integer()),
};

export const RangeSchema = Type.Object(
  {
    id: rangeId,
    repoId,
    type: RangeTypeSchema,
    ...bounds,
    compareUrl: Type.Optional(text('https://github.com/acme/rocket/compare/v1.0.0...v1.1.0', 'between the two tags')),
    prCount: count(),
    issueCount: count(),
    resolution: ResolutionSchema,
    createdAt: time,
    updatedAt: time,
  },
  closed,
);

export const ChangeReplySchema = Type.Object(
  {
    ...ChangeSchema.properties,
    number: Type.Optional(Type.Integer({ description: 'of a pull request or issue', examples: [41] })),
    title: text('Land on rough ground', 'first line, as captured'),
  },
  closed,
);

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

export const DraftSchema = Type.Object(
  {
    id: draftId,
    releaseRangeId: rangeId,
    persona: PersonaSchema,
    status: Type.Union([Type.Literal('ready'), Type.Literal('processing'), Type.Literal('failed')]),
    revision: count(),
    bodyMd: markdown,
    flags,
    error: Type.Optional(Type.String({ description: 'why it could not be written' })),
    createdAt: time,
    updatedAt: time,
  },
  closed,
);

export const DraftUpdateSchema = Type.Object(
  { id: draftId, bodyMd: markdown, flags: Type.Optional(flags), updatedAt: time },
  closed,
);

/** Flags of a revision; absent where nobody had edited them, so that it has the generated ones. */
const editedFlags = Type.Optional(flags);

export const DraftRestoreSchema = Type.Object(
  { id: draftId, revision: count(3), updatedAt: time, bodyMd: markdown, flags: editedFlags },
  closed,
);

const revision = {
  number: Type.Integer({ minimum: 1, examples: [2] }),
  kind: RevisionKindSchema,
  by: orNull(text('key_0001m7yce69yvkj4vwe6pref0e56', 'id of the API key; null for what the service wrote')),
  bytes: count(50),
  createdAt: time,
  flags: editedFlags,
};

export const RevisionSchema = Type.Object(revision, closed);
export const RevisionTextSchema = Type.Object({ draftId, ...revision, bodyMd: markdown }, closed);
