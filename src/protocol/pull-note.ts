/**
 * The shape of a note preview: what the notes say about one pull request, and the verdict of the release note check. The
 * fields have examples, because the API returns the preview as it is.
 */
import { type Static, Type } from '@sinclair/typebox';
import { ChangeSchema, NoteNeedSchema } from './notes.ts';

const closed = { additionalProperties: false } as const;

/** The verdict of the release note check of a repository about a pull request. */
export const NoteVerdictSchema = Type.Object(
  {
    state: Type.Union([Type.Literal('success'), Type.Literal('failure'), Type.Literal('neutral')], {
      description:
        '`failure` only if the check requires what is missing; `neutral` if the check is off or only informs',
      examples: ['failure'],
    }),
    missing: Type.Array(NoteNeedSchema, { examples: [['note']] }),
    message: Type.String({
      description: 'for people',
      examples: ['Missing: a release note. Add one to the description, or comment `/note TEXT` or `/note none`.'],
    }),
  },
  closed,
);
export type NoteVerdict = Static<typeof NoteVerdictSchema>;

/** An entry of a draft. */
const NoteLineSchema = Type.Object(
  {
    heading: Type.String({ description: 'heading above the entry, as plain text', examples: ['Features'] }),
    markdown: Type.String({
      description: 'the entry without its marker',
      examples: ['- Land on rough ground ([#41](https://github.com/acme/rocket/pull/41))'],
    }),
  },
  closed,
);
export type NoteLine = Static<typeof NoteLineSchema>;

const lines = Type.Array(NoteLineSchema);
const { included, reason, detail, section, kindBy } = ChangeSchema.properties;

export const PullNoteSchema = Type.Object(
  {
    number: Type.Integer({ description: 'number of the pull request', examples: [41] }),
    verdict: NoteVerdictSchema,
    included,
    reason,
    detail,
    section,
    kindBy,
    lines: Type.Object(
      { engineer: lines, internal: lines, customer: lines },
      { ...closed, description: 'entries in the draft for each persona; empty if the draft leaves the change out' },
    ),
  },
  closed,
);
export type PullNote = Static<typeof PullNoteSchema>;
