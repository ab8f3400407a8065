/**
 * The shapes of minimized host data: snapshots of pull requests, issues and comments, pushes, tags, installations, and
 * data read over the REST API. `intake/` makes these shapes, and `workers/partition` folds the records that contain
 * them.
 */
import { type Static, Type } from '@sinclair/typebox';
import { AssociationSchema, CommentKindSchema, ComparisonRecordSchema } from './stored.ts';

const Instant = Type.Integer();
/** A text or number that can be null. */
export const Nullable = <T extends ReturnType<typeof Type.String> | ReturnType<typeof Type.Integer>>(schema: T) =>
  Type.Union([schema, Type.Null()]);

/**
 * The signer of a delivery. Null means that the delivery was signed with a secret of the whole host. Only the operator
 * and the host know such a secret, so the signature proves the content. In all other cases, the delivery was signed
 * with the secret of the organization `org`, and the content is only a claim of this organization.
 *
 * `proved` states whether the organization's number on the host was proved when the delivery was received. `supersedes`
 * is the id of another organization that claimed the repository before, if the host has refuted that claim. The whole
 * field is absent in records of earlier versions of Tidings.
 */
export const SignedBySchema = Type.Union([
  Type.Null(),
  Type.Object({ org: Type.String(), proved: Type.Boolean(), supersedes: Type.Optional(Type.String()) }),
]);
export type SignedBy = Static<typeof SignedBySchema>;

/**
 * The field is set if the host gave no time for the snapshot. Then `updatedAt` is the time of receipt, and snapshots
 * are ordered by this time.
 */
const undated = Type.Optional(Type.Literal(true));

const EventAuthor = Type.Object({ login: Type.String(), bot: Type.Boolean() });

/**
 * A pull request's snapshot. `labels` is absent if the payload did not list them, and `firstTime` if the payload does
 * not show whether the author has contributed before. `headSha` is absent if the payload does not name the newest
 * commit, and in records of earlier versions of Tidings.
 */
export const PullSnapshotSchema = Type.Object({
  number: Type.Integer(),
  title: Type.String(),
  body: Type.String(),
  state: Type.Union([Type.Literal('open'), Type.Literal('closed'), Type.Literal('merged')]),
  labels: Type.Optional(Type.Array(Type.String())),
  author: EventAuthor,
  createdAt: Nullable(Instant),
  updatedAt: Instant,
  undated,
  closedAt: Nullable(Instant),
  mergedAt: Nullable(Instant),
  mergeSha: Nullable(Type.String()),
  baseRef: Nullable(Type.String()),
  headRef: Nullable(Type.String()),
  headSha: Type.Optional(Type.String()),
  url: Type.String(),
  firstTime: Type.Optional(Type.Boolean()),
});
export type PullSnapshot = Static<typeof PullSnapshotSchema>;

/**
 * An issue's snapshot. `state` and `labels` can be absent, because hosts leave them out for some actions. `reactions`
 * is absent if the host did not count them.
 */
export const IssueSnapshotSchema = Type.Object({
  number: Type.Integer(),
  title: Type.String(),
  body: Type.String(),
  state: Type.Optional(Type.Union([Type.Literal('open'), Type.Literal('closed')])),
  stateReason: Nullable(Type.String()),
  labels: Type.Optional(Type.Array(Type.String())),
  author: EventAuthor,
  createdAt: Nullable(Instant),
  updatedAt: Instant,
  undated,
  closedAt: Nullable(Instant),
  url: Type.String(),
  reactions: Type.Optional(Type.Integer()),
});
export type IssueSnapshot = Static<typeof IssueSnapshotSchema>;

export const PushedCommitSchema = Type.Object({
  sha: Type.String(),
  message: Type.String(),
  at: Nullable(Instant),
  author: Nullable(Type.String()),
  coAuthors: Type.Array(Type.String()),
});
export type PushedCommit = Static<typeof PushedCommitSchema>;

/**
 * A branch push, or one part of a long push. Two consecutive parts share an id: `after` of the first part is `before`
 * of the second part. This id is not the id of a commit (`partEnd` in `src/foundation/ids.ts`).
 */
export const BranchPushSchema = Type.Object({
  branch: Type.String(),
  before: Nullable(Type.String()),
  after: Type.String(),
  baseRef: Nullable(Type.String()),
  commits: Type.Array(PushedCommitSchema),
  forced: Type.Boolean(),
  gap: Type.Boolean(),
  deleted: Type.Boolean(),
  pushedAt: Instant,
});
export type BranchPush = Static<typeof BranchPushSchema>;

/**
 * A tag push. `object` is the hash of the object that the tag points at: an annotated tag or a commit. `sha` is the sha
 * of the commit, if the host sent it. `hint` is set if the data is from a create or delete event. Hosts send such an
 * event in addition to the push, and it contains less data.
 */
export const TagPushSchema = Type.Object({
  name: Type.String(),
  sha: Nullable(Type.String()),
  object: Nullable(Type.String()),
  baseRef: Nullable(Type.String()),
  date: Nullable(Instant),
  deleted: Type.Boolean(),
  pushedAt: Instant,
  hint: Type.Optional(Type.Boolean()),
});
export type TagPush = Static<typeof TagPushSchema>;

/**
 * A comment's snapshot. A comment is part of a discussion, the text of a whole review, or a comment on a line under
 * review.
 */
export const CommentSnapshotSchema = Type.Object({
  kind: CommentKindSchema,
  id: Type.String(),
  /** Number of the pull request or issue that the comment belongs to. */
  number: Type.Integer(),
  author: EventAuthor,
  body: Type.String(),
  /** Verdict of a review: approved, changes_requested, commented, dismissed. */
  state: Nullable(Type.String()),
  createdAt: Nullable(Instant),
  updatedAt: Instant,
  /** Relation of the author to the repository; null if the host does not name it. Absent in records of earlier versions. */
  association: Type.Optional(Type.Union([AssociationSchema, Type.Null()])),
});
export type CommentSnapshot = Static<typeof CommentSnapshotSchema>;

/**
 * Whether the fold requests a check of the repository's drafts, because the event changes texts but no counts. Absent
 * in records of earlier versions of Tidings, which did not check drafts.
 */
const checks = Type.Optional(Type.Literal(true));

/** The content of an event, by its kind. */
export const EventBodySchema = Type.Union([
  Type.Object({ event: Type.Literal('pull_request'), action: Type.String(), pull: PullSnapshotSchema }),
  Type.Object({ event: Type.Literal('issues'), action: Type.String(), issue: IssueSnapshotSchema }),
  Type.Object({ event: Type.Literal('push'), push: BranchPushSchema }),
  Type.Object({ event: Type.Literal('tag'), tag: TagPushSchema }),
  Type.Object({ event: Type.Literal('comment'), action: Type.String(), comment: CommentSnapshotSchema, checks }),
  /** The issue no longer exists in this repository, because it was deleted or transferred. */
  Type.Object({ event: Type.Literal('issue_removed'), number: Type.Integer(), seenAt: Instant }),
  /** A change of the repository itself. The repository's new state is in the record's `repository`. */
  Type.Object({
    event: Type.Literal('repository'),
    action: Type.String(),
    formerName: Nullable(Type.String()),
    /** Name of the former default branch, or the former name of a renamed default branch. */
    formerBranch: Type.Optional(Type.String()),
    seenAt: Instant,
  }),
  /** A renamed or deleted label. `to` is the new name, or null if the label was deleted. */
  Type.Object({
    event: Type.Literal('label'),
    /** Number of the label on the host; absent if the host sends no number. */
    id: Type.Optional(Type.String()),
    from: Type.String(),
    to: Nullable(Type.String()),
    seenAt: Instant,
    checks,
  }),
]);
export type EventBody = Static<typeof EventBodySchema>;

/** A commit as a backfill reads it, with its parents. Commits of a push do not contain their parents. */
export const ListedCommitSchema = Type.Composite([
  PushedCommitSchema,
  Type.Object({ parents: Type.Array(Type.String()) }),
]);
export type ListedCommit = Static<typeof ListedCommitSchema>;

/**
 * One commit of a branch's first-parent line. `shas` are the commits that this commit made reachable, the oldest first
 * and the commit itself last.
 */
export const BranchStepSchema = Type.Object({
  before: Nullable(Type.String()),
  after: Type.String(),
  shas: Type.Array(Type.String()),
  gap: Type.Boolean(),
  at: Instant,
});
export type BranchStep = Static<typeof BranchStepSchema>;

/**
 * Data that was read from the host. The data has the same kinds of bodies as events, and four more kinds: commits with
 * their parents, the steps of a branch, comparisons of two commits, and the reactions to a pull request. The steps are
 * computed from the commits.
 */
export const BackfilledBodySchema = Type.Union([
  EventBodySchema,
  Type.Object({ event: Type.Literal('commits'), commits: Type.Array(ListedCommitSchema) }),
  Type.Object({ event: Type.Literal('steps'), branch: Type.String(), steps: Type.Array(BranchStepSchema) }),
  Type.Object({ event: Type.Literal('comparison'), comparison: ComparisonRecordSchema }),
  Type.Object({ event: Type.Literal('pull_reactions'), number: Type.Integer(), reactions: Type.Integer() }),
]);
export type BackfilledBody = Static<typeof BackfilledBodySchema>;

const InstalledRepository = Type.Object({
  id: Type.String(),
  hostId: Type.String(),
  fullName: Type.String(),
  private: Type.Boolean(),
});

/** A change of an app's installation. An installation determines which repositories of an owner the app may access. */
export const InstallationBodySchema = Type.Object({
  action: Type.Union([
    Type.Literal('installed'),
    Type.Literal('uninstalled'),
    Type.Literal('selected'),
    Type.Literal('renamed'),
  ]),
  origin: Type.String(),
  installationId: Type.String(),
  owner: Type.Object({ id: Type.String(), login: Type.String() }),
  added: Type.Array(InstalledRepository),
  removed: Type.Array(InstalledRepository),
});
export type InstallationBody = Static<typeof InstallationBodySchema>;
