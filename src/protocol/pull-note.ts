/**
 * The shape of a note preview: what the notes say about one pull request, and the verdict of the release note check.
 * The fields have examples, because the API returns the preview as it is.
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

/** The state of a verdict on the host. */
const OnHostSchema = Type.Object(
  {
    headSha: Type.Union([Type.String(), Type.Null()], {
      description: 'commit that has the newest verdict; null if none was written',
      examples: ['5b2c8d1e7a94f0c3b6d2e8a1f4c7093b5d6e2a18'],
    }),
    error: Type.Union([Type.String(), Type.Null()], {
      description: 'why the last verdict or comment was not written; null if it was',
      examples: [null],
    }),
  },
  closed,
);

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
    onHost: Type.Union([OnHostSchema, Type.Null()], {
      description: 'what the check has written to the host; null if it has written nothing and nothing has failed',
    }),
  },
  closed,
);
export type PullNote = Static<typeof PullNoteSchema>;

/** A note preview without what is on the host. */
export type NotePreview = Omit<PullNote, 'onHost'>;
