/**
 * The shapes of the release note check at pull requests: a check that waits, its outcome, and the verdict that the host
 * shows. `workers/fold/note-checks.ts` folds them, and `workers/checks/` carries the checks out.
 */
import { type Static, Type } from '@sinclair/typebox';

/** Name of the check run or commit status on the host. */
export const noteCheckName = 'release note';

/** Start of the hidden comment with which the comment of the check begins. */
export const noteCheckMark = '<!-- tidings:note-check ';

const Instant = Type.Integer();
const NullableInstant = Type.Union([Instant, Type.Null()]);

/** A check that waits for its due time. `row` is a number that no other request for a check has. */
const WaitingCheckSchema = Type.Object({
  due: Instant,
  /** Number of failed attempts. */
  tries: Type.Integer(),
  row: Type.Integer(),
});
export type WaitingCheck = Static<typeof WaitingCheckSchema>;

/** Digests of the texts that the host shows for a pull request. A field is absent if nothing was written. */
const ShownSchema = Type.Object({
  headSha: Type.Optional(Type.String({ description: 'commit with the verdict' })),
  verdict: Type.Optional(Type.String()),
  comment: Type.Optional(Type.String()),
  commentId: Type.Optional(Type.Integer({ description: 'id of the comment on the host' })),
  commentBy: Type.Optional(Type.Integer({ description: 'id of the account that wrote the comment' })),
});
export type ShownCheck = Static<typeof ShownSchema>;

/** The last check of a pull request. `error` is the reason why it failed, or null. */
const NoteCheckRecordSchema = Type.Composite([
  ShownSchema,
  Type.Object({ at: Instant, error: Type.Union([Type.String(), Type.Null()]) }),
]);
export type NoteCheckRecord = Static<typeof NoteCheckRecordSchema>;

/**
 * The outcome of a check. `shown` is what the host shows after it, and `retryAt` the time of the next attempt after a
 * temporary failure.
 */
export const NoteCheckedSchema = Type.Object({
  result: Type.Literal('noteChecked'),
  repoId: Type.String(),
  number: Type.Integer(),
  row: Type.Integer(),
  outcome: Type.Union([
    Type.Literal('written'),
    Type.Literal('unchanged'),
    Type.Literal('skipped'),
    Type.Literal('retried'),
    Type.Literal('failed'),
  ]),
  shown: ShownSchema,
  error: Type.Union([Type.String(), Type.Null()]),
  retryAt: NullableInstant,
});
export type NoteChecked = Static<typeof NoteCheckedSchema>;
