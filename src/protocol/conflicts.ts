/**
 * The shapes of conflicts: words of a person in a draft about a change that the generated draft no longer contains.
 */
import { type Static, Type } from '@sinclair/typebox';
import { OutdatedReasonSchema } from './outdated.ts';

const closed = { additionalProperties: false } as const;

/** Why a generated draft does not contain a change. */
export const ConflictReasonSchema = Type.Union([
  Type.Literal('reverted', { description: 'reverted by `detail`' }),
  Type.Literal('reverts', { description: 'is itself a revert of `detail`, which is left out too' }),
  Type.Literal('label', { description: 'left out by the label `detail`' }),
  Type.Literal('command', { description: 'left out by the command `detail` in a comment' }),
  Type.Literal('author', { description: 'the settings exclude the author `detail`' }),
  Type.Literal('shipped', { description: 'already part of the release `detail`' }),
  Type.Literal('release', { description: 'only makes a release' }),
  Type.Literal('routine', { description: 'routine work without a change of its own' }),
  Type.Literal('own', { description: 'written by this service for the publication `detail`' }),
  Type.Literal('joined', { description: 'now listed in the entry of `detail`' }),
  Type.Literal('note', { description: 'the pull request no longer has this line of its release note' }),
  Type.Literal('unlisted', { description: 'still in the range, but the draft does not list it any more' }),
  Type.Literal('open', { description: 'the issue is open again' }),
  Type.Literal('unresolved', { description: 'the issue was closed without being resolved' }),
  Type.Literal('range', { description: 'not in the range any more' }),
  Type.Literal('other', { description: 'see `detail`' }),
]);
export type ConflictReason = Static<typeof ConflictReasonSchema>;

/** A change that the range has considered, and the reason why the generated draft does not contain it. */
export const AbsentChangeSchema = Type.Object({
  id: Type.String(),
  reason: ConflictReasonSchema,
  detail: Type.Optional(Type.String()),
});
export type AbsentChange = Static<typeof AbsentChangeSchema>;

/** A conflict, as the API returns it. */
export const conflictFields = {
  id: Type.String({
    examples: ['pr:12'],
    description: 'id of the change: `pr:12`, `pr:12.2`, `issue:7` or `commit:…`',
  }),
  number: Type.Union([Type.Integer({ minimum: 0, examples: [12] }), Type.Null()], {
    description: 'number of the pull request or issue',
  }),
  sha: Type.Union([Type.String(), Type.Null()], { description: 'hash of a commit without a pull request' }),
  text: Type.String({
    examples: ['Land on rough ground'],
    description: 'the words of the person, as plain text of at most 200 characters',
  }),
  reason: ConflictReasonSchema,
  detail: Type.Union([Type.String({ examples: ['#15'] }), Type.Null()], { description: 'reference for `reason`' }),
};
export const ConflictSchema = Type.Object(conflictFields, closed);
export type Conflict = Static<typeof ConflictSchema>;

/** A reason to look at a draft again before it is published. */
export const PublicationWarningSchema = Type.Union([
  Type.Object({ kind: Type.Literal('conflict'), ...conflictFields }, closed),
  Type.Object(
    {
      kind: Type.Literal('outdated'),
      because: Type.Array(OutdatedReasonSchema, { description: 'why the draft is outdated' }),
    },
    closed,
  ),
]);
export type PublicationWarning = Static<typeof PublicationWarningSchema>;
