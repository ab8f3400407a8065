/**
 * What the host tells, minimised: snapshots of pull requests, issues and comments, pushes, tags, installations, and what is
 * read from its REST API. Shapes only; `intake/` makes them, `workers/partition` folds the records that carry them.
 */
import { type Static, Type } from '@sinclair/typebox';
import { CommentKindSchema, ComparisonRecordSchema } from './stored.ts';

const Instant = Type.Integer();
/** A text or number that can be missing. */
export const Nullable = <T extends ReturnType<typeof Type.String> | ReturnType<typeof Type.Integer>>(schema: T) =>
  Type.Union([schema, Type.Null()]);

/**
 * Whose secret signed a delivery. Null is a secret of the whole host, which the operator and the host alone know: it proves
 * what it says. Otherwise the delivery claims something for one organization: `proved` says whether the owner of that
 * organization was confirmed at receipt, and `supersedes` names the organization whose claim on the repository the host has
 * refuted. Records of earlier versions do not say it.
 */
export const SignedBySchema = Type.Union([
  Type.Null(),
  Type.Object({ org: Type.String(), proved: Type.Boolean(), supersedes: Type.Optional(Type.String()) }),
]);
export type SignedBy = Static<typeof SignedBySchema>;

/** The host gave no time of the snapshot: `updatedAt` is that of the receipt, and the order of receipt decides. */
const undated = Type.Optional(Type.Literal(true));

const EventAuthor = Type.Object({ login: Type.String(), bot: Type.Boolean() });

/** A pull request's snapshot. `labels` is absent when the payload had none to say. */
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
  url: Type.String(),
});
export type PullSnapshot = Static<typeof PullSnapshotSchema>;

/** An issue's snapshot; `state` and `labels` can be absent (host payloads leave them out for some actions). */
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

/** A branch push, or one part of a long one; between two parts stands an id that is no commit's (`partEnd` of `src/foundation/ids.ts`). */
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
 * A tag push. `sha` is the commit where the host named one; `object` is what the tag itself points at. `hint` marks what a
 * create or delete event tells, which comes beside the push and knows less.
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

/** A comment's snapshot: of a discussion, of a review as a whole, or of a line under review. */
export const CommentSnapshotSchema = Type.Object({
  kind: CommentKindSchema,
  id: Type.String(),
  /** Pull request or issue it belongs to. */
  number: Type.Integer(),
  author: EventAuthor,
  body: Type.String(),
  /** Verdict of a review: approved, changes_requested, commented, dismissed. */
  state: Nullable(Type.String()),
  createdAt: Nullable(Instant),
  updatedAt: Instant,
});
export type CommentSnapshot = Static<typeof CommentSnapshotSchema>;

/** What an event says, by its kind. */
export const EventBodySchema = Type.Union([
  Type.Object({ event: Type.Literal('pull_request'), action: Type.String(), pull: PullSnapshotSchema }),
  Type.Object({ event: Type.Literal('issues'), action: Type.String(), issue: IssueSnapshotSchema }),
  Type.Object({ event: Type.Literal('push'), push: BranchPushSchema }),
  Type.Object({ event: Type.Literal('tag'), tag: TagPushSchema }),
  Type.Object({ event: Type.Literal('comment'), action: Type.String(), comment: CommentSnapshotSchema }),
  /** The issue is gone from this repository: deleted, or moved to another one. */
  Type.Object({ event: Type.Literal('issue_removed'), number: Type.Integer(), seenAt: Instant }),
  /** The repository itself; what changed stands in the record's repository. */
  Type.Object({
    event: Type.Literal('repository'),
    action: Type.String(),
    formerName: Nullable(Type.String()),
    /** What was the default branch until then, or what it was called. */
    formerBranch: Type.Optional(Type.String()),
    seenAt: Instant,
  }),
  /** `to` null = the label was deleted. */
  Type.Object({
    event: Type.Literal('label'),
    /** The host's number of the label; absent where it tells none. */
    id: Type.Optional(Type.String()),
    from: Type.String(),
    to: Nullable(Type.String()),
    seenAt: Instant,
  }),
]);
export type EventBody = Static<typeof EventBodySchema>;

/** A commit as a backfill reads it: a push does not tell its parents. */
export const ListedCommitSchema = Type.Composite([
  PushedCommitSchema,
  Type.Object({ parents: Type.Array(Type.String()) }),
]);
export type ListedCommit = Static<typeof ListedCommitSchema>;

/** One commit of a branch's first-parent line; `shas` is what it made reachable, oldest first, itself last. */
export const BranchStepSchema = Type.Object({
  before: Nullable(Type.String()),
  after: Type.String(),
  shas: Type.Array(Type.String()),
  gap: Type.Boolean(),
  at: Instant,
});
export type BranchStep = Static<typeof BranchStepSchema>;

/**
 * What is read from the host: what events say too, commits with their parents, how a branch came to be from them, and what
 * lies between two commits.
 */
export const BackfilledBodySchema = Type.Union([
  EventBodySchema,
  Type.Object({ event: Type.Literal('commits'), commits: Type.Array(ListedCommitSchema) }),
  Type.Object({ event: Type.Literal('steps'), branch: Type.String(), steps: Type.Array(BranchStepSchema) }),
  Type.Object({ event: Type.Literal('comparison'), comparison: ComparisonRecordSchema }),
]);
export type BackfilledBody = Static<typeof BackfilledBodySchema>;

const InstalledRepository = Type.Object({
  id: Type.String(),
  hostId: Type.String(),
  fullName: Type.String(),
  private: Type.Boolean(),
});

/** What an app's installation tells the directory: which repositories of an owner it may see. */
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
