/**
 * The shapes with which a draft shows that it is outdated, and the facts of a generation from which the reasons are
 * found. A draft is outdated if generating it now would give another text than the last generation.
 */
import { type Static, Type } from '@sinclair/typebox';

const closed = { additionalProperties: false } as const;

/** Maximum number of reasons that are listed for a draft. */
export const maxOutdatedReasons = 100;

/** What has changed since the draft was generated. */
const OutdatedWhatSchema = Type.Union([
  Type.Literal('merged', { description: 'the change is new in the draft' }),
  Type.Literal('label', { description: 'its labels changed' }),
  Type.Literal('command', { description: 'commands in its comments changed' }),
  Type.Literal('edited', { description: 'its title or body changed' }),
  Type.Literal('reverted', { description: 'it was reverted, or is itself a revert that leaves the draft' }),
  Type.Literal('removed', { description: 'it leaves the draft for another reason' }),
  Type.Literal('issue', { description: 'the issue, or an issue that it links, changed' }),
  Type.Literal('tag', { description: 'a tag of the range now names the commit `sha`' }),
  Type.Literal('settings', { description: 'the settings of the repository changed' }),
  Type.Literal('other', { description: 'something else changed' }),
]);

const reference = {
  number: Type.Optional(
    Type.Integer({ minimum: 0, examples: [12], description: 'number of the pull request or issue' }),
  ),
  sha: Type.Optional(Type.String({ description: 'hash of a commit' })),
};

/** A reason why a draft is outdated. */
export const OutdatedReasonSchema = Type.Object({ ...reference, what: OutdatedWhatSchema }, closed);
export type OutdatedReason = Static<typeof OutdatedReasonSchema>;

/** A reason why a publication is outdated: a reason of its draft, or a newer generation of the draft. */
export const PublicationOutdatedReasonSchema = Type.Object(
  {
    ...reference,
    what: Type.Union([
      ...OutdatedWhatSchema.anyOf,
      Type.Literal('generated', { description: 'the draft was generated again with another text since' }),
    ]),
  },
  closed,
);

export type PublicationOutdatedReason = Static<typeof PublicationOutdatedReasonSchema>;

/**
 * What a generation was made from. `marks` has, by the id of a change, three short digests in one text: of its title
 * and body, of its labels, and of its linked issues. The letter `r` follows if a revert left the change out. `marks`
 * contains all changes of the range, also those that are not listed. `commands` has a digest of the commands in the
 * comments on a change, if there are any. Facts of earlier versions lack this field. `settings` is the digest of the
 * settings. `ends` are the commits of the range's tags.
 */
export const DraftFactsSchema = Type.Object({
  marks: Type.Record(Type.String(), Type.String()),
  commands: Type.Optional(Type.Record(Type.String(), Type.String())),
  settings: Type.String(),
  ends: Type.Array(Type.Union([Type.String(), Type.Null()])),
});
export type DraftFacts = Static<typeof DraftFactsSchema>;

/**
 * The result of the check of one draft. `base` is the digest of the generated text that was compared. It is null if the
 * draft was being generated, so that it could not be compared. `because` is empty if the draft is not outdated.
 */
export const DraftVerdictSchema = Type.Object({
  draftId: Type.String(),
  base: Type.Union([Type.String(), Type.Null()]),
  because: Type.Array(OutdatedReasonSchema),
});
export type DraftVerdict = Static<typeof DraftVerdictSchema>;
