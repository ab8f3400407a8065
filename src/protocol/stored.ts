/**
 * The shapes of the records that a partition stores. `store/` reads and writes them, `workers/` folds them, and
 * `notes/` turns them into drafts. Times are UTC, in milliseconds. Texts are minimized and redacted.
 */
import { type Static, Type } from '@sinclair/typebox';
import { personas } from './names.ts';
import { OutdatedReasonSchema } from './outdated.ts';

const Instant = Type.Integer({ minimum: 0, description: 'milliseconds since 1970, UTC' });
const NullableInstant = Type.Union([Instant, Type.Null()]);
const NullableString = Type.Union([Type.String(), Type.Null()]);

/** A person or bot as the host names them. Only the public handle is kept. */
export const AuthorSchema = Type.Object({
  login: Type.String({ description: 'login of the person or bot; `ghost` if the account was deleted' }),
  bot: Type.Boolean(),
});
export type Author = Static<typeof AuthorSchema>;

/** A repository as its own partition stores it. The directory partition stores who may access the repository. */
export const RepositoryRecordSchema = Type.Object({
  id: Type.String({
    description: 'repo_…, derived from the origin of the host and the id of the repository on the host',
  }),
  origin: Type.String({ description: 'web address of the host, e.g. https://github.com' }),
  hostId: Type.String({
    description: 'number of the repository on its host, in digits; `name:owner/repo` if the host sent no number',
  }),
  fullName: Type.String(),
  formerNames: Type.Array(Type.String()),
  defaultBranch: NullableString,
  /** Former default branches by name, each with the last time at which it was the default branch. */
  formerBranches: Type.Optional(Type.Array(Type.Tuple([Type.String(), Instant]))),
  url: Type.String(),
  private: Type.Boolean(),
  owner: Type.Object({ id: Type.String(), login: Type.String() }),
  createdAt: Instant,
  /** Host time of the newest snapshot that was used for the fields above. */
  seenAt: Instant,
  /**
   * Increases with every change that a ready response may show. A ready response is a stored API reply
   * (`docs/architecture.md` decision 15).
   */
  revision: Type.Integer(),
  /**
   * When the newest delivery of the repository was received. Absent if only the host was read so far, and in records of
   * earlier versions of Tidings until the next delivery.
   */
  lastEventAt: Type.Optional(Instant),
  /**
   * The organization that claims the repository. All stored data of the repository comes from deliveries that were
   * signed with this organization's own secret. The field is absent as soon as the owner is proved.
   */
  claimedBy: Type.Optional(Type.String()),
  /**
   * The newest host time among the proved snapshots of the repository. The field is set only if `seenAt` is later. In
   * that case, `seenAt` comes from a delivery that was signed with the owner's own secret.
   */
  provedAt: Type.Optional(Instant),
});
export type RepositoryRecord = Static<typeof RepositoryRecordSchema>;

/**
 * The version of a snapshot: its host time, and the rank of the host's action. Snapshots are ordered by host time.
 * Snapshots of the same second are ordered by rank.
 */
export const VersionSchema = Type.Tuple([Instant, Type.Integer()]);
export type Version = Static<typeof VersionSchema>;

/**
 * A captured pull request (spec part 2). `state` becomes `merged` as soon as a merge is proved. After that, `state`
 * never changes.
 */
export const PullRecordSchema = Type.Object({
  number: Type.Integer(),
  title: Type.String(),
  body: Type.String(),
  state: Type.Union([Type.Literal('open'), Type.Literal('closed'), Type.Literal('merged')]),
  labels: Type.Array(Type.String()),
  author: AuthorSchema,
  createdAt: NullableInstant,
  updatedAt: Instant,
  closedAt: NullableInstant,
  mergedAt: NullableInstant,
  mergeSha: NullableString,
  baseRef: NullableString,
  headRef: NullableString,
  url: Type.String(),
  /** Numbers of the issues that the body links by keyword (spec part 2, rule 1). */
  linkedIssues: Type.Array(Type.Integer()),
  /** Rank of the host's action. Two snapshots of the same second are ordered by their ranks. */
  rank: Type.Integer(),
  /**
   * Versions of the labels and of the merge commit. Some snapshots do not contain the labels or the merge commit. The
   * labels or the merge commit then come from another snapshot than the rest of the record. Their own version is set
   * only in this case.
   */
  labelsAt: Type.Optional(VersionSchema),
  mergeShaAt: Type.Optional(VersionSchema),
  /**
   * True if the host called the author a first-time contributor in any snapshot. False if the host called the author a
   * contributor before the merge. Absent if no snapshot shows it. A contributor after the merge shows nothing, because
   * the merge itself makes the author a contributor.
   */
  firstTime: Type.Optional(Type.Boolean()),
  /**
   * Number of reactions; absent if it is zero or unknown. Only the host's list of issues contains it, so only backfills
   * set it.
   */
  reactions: Type.Optional(Type.Integer()),
  /**
   * The newest commit of the pull request. Absent if the newest snapshot does not name it, and in records of earlier
   * versions of Tidings.
   */
  headSha: Type.Optional(Type.String()),
});
export type PullRecord = Static<typeof PullRecordSchema>;

/** A captured issue (spec part 2). */
export const IssueRecordSchema = Type.Object({
  number: Type.Integer(),
  title: Type.String(),
  body: Type.String(),
  state: Type.Union([Type.Literal('open'), Type.Literal('closed')]),
  stateReason: NullableString,
  labels: Type.Array(Type.String()),
  author: AuthorSchema,
  createdAt: NullableInstant,
  updatedAt: Instant,
  closedAt: NullableInstant,
  url: Type.String(),
  rank: Type.Integer(),
  /** Versions of the labels and of the state. Each version is set only if it differs from the record's own version. */
  labelsAt: Type.Optional(VersionSchema),
  stateAt: Type.Optional(VersionSchema),
  /**
   * Number of reactions; absent if no snapshot contained it. `reactionsAt` is the time of the snapshot that contained
   * it. The time is set only if it differs from `updatedAt`.
   */
  reactions: Type.Optional(Type.Integer()),
  reactionsAt: Type.Optional(Instant),
});
export type IssueRecord = Static<typeof IssueRecordSchema>;

export const CommentKindSchema = Type.Union([
  Type.Literal('discussion'),
  Type.Literal('review'),
  Type.Literal('review_comment'),
]);
export type CommentKind = Static<typeof CommentKindSchema>;

/**
 * How the host describes the relation of a comment's author to the repository. The words are those of the host. Gitea
 * has no such words; `COLLABORATOR` then means that the author may write to the repository.
 */
export const AssociationSchema = Type.Union([
  Type.Literal('OWNER'),
  Type.Literal('MEMBER'),
  Type.Literal('COLLABORATOR'),
  Type.Literal('CONTRIBUTOR'),
  Type.Literal('FIRST_TIME_CONTRIBUTOR'),
  Type.Literal('FIRST_TIMER'),
  Type.Literal('MANNEQUIN'),
  Type.Literal('NONE'),
]);
export type Association = Static<typeof AssociationSchema>;

/**
 * A captured comment (spec part 2). Its body contains no personal data. The comment may be stored before its pull
 * request or issue. A deleted comment stays as a tombstone without body or author.
 */
export const CommentRecordSchema = Type.Object({
  kind: CommentKindSchema,
  id: Type.String(),
  number: Type.Integer(),
  author: AuthorSchema,
  body: Type.String(),
  state: NullableString,
  createdAt: NullableInstant,
  updatedAt: Instant,
  deleted: Type.Boolean(),
  rank: Type.Integer(),
  /**
   * Relation of the author to the repository; null if the host does not name it. Absent in tombstones, and in comments
   * that an earlier version of Tidings captured.
   */
  association: Type.Optional(Type.Union([AssociationSchema, Type.Null()])),
  /** Version of `association`. It is set only if another snapshot than that of the text contained the association. */
  associationAt: Type.Optional(VersionSchema),
});
export type CommentRecord = Static<typeof CommentRecordSchema>;

/**
 * A commit that a push listed or a backfill read. `pushes` are the keys (branch, head sha) of the pushes that listed
 * the commit.
 */
export const CommitRecordSchema = Type.Object({
  sha: Type.String(),
  message: Type.String(),
  at: NullableInstant,
  author: NullableString,
  coAuthors: Type.Array(Type.String({ description: 'handle' })),
  pushes: Type.Array(Type.Tuple([Type.String(), Type.String()])),
  /** Parents of the commit; set once a backfill has read the commit, since pushes do not contain parents. */
  parents: Type.Optional(Type.Array(Type.String())),
  /** True as long as no push has listed the commit. */
  backfilled: Type.Optional(Type.Boolean()),
});
export type CommitRecord = Static<typeof CommitRecordSchema>;

/**
 * One branch push. `shas` are ordered from the oldest commit to the newest, and the last one is `after`. `before` is
 * null for a new branch. `shas` is empty if a branch was created at a commit that the repository already had.
 */
export const PushRecordSchema = Type.Object({
  branch: Type.String(),
  before: NullableString,
  after: Type.String(),
  baseRef: NullableString,
  shas: Type.Array(Type.String()),
  forced: Type.Boolean(),
  /** True if the host listed fewer commits than were pushed. The chain of pushes is then broken at this push. */
  gap: Type.Boolean(),
  at: Instant,
  /**
   * True if the record was made from the commit graph that a backfill read. The record is then one step of the branch,
   * and `shas` are the commits that this step made reachable.
   */
  backfilled: Type.Optional(Type.Boolean()),
});
export type PushRecord = Static<typeof PushRecordSchema>;

/**
 * The head of a branch, from the pushes with the newest time. Several pushes can have the same time, because host times
 * have no finer resolution than a second. Each push is stored as (head before, head after). A head is null if the push
 * created or deleted the branch.
 */
export const BranchHeadSchema = Type.Object({
  at: Instant,
  pushes: Type.Array(Type.Tuple([NullableString, NullableString])),
});
export type BranchHead = Static<typeof BranchHeadSchema>;

/**
 * A tag. `sha` is the sha of its commit, or null until the commit is known. `tagObject` is the hash of the tag itself,
 * if the tag is annotated.
 */
export const TagRecordSchema = Type.Object({
  name: Type.String(),
  sha: NullableString,
  tagObject: NullableString,
  baseRef: NullableString,
  date: NullableInstant,
  pushedAt: Instant,
  deleted: Type.Boolean(),
  /** True while only create events have reported the tag. Absent after a push or a deletion of the tag. */
  hint: Type.Optional(Type.Boolean()),
});
export type TagRecord = Static<typeof TagRecordSchema>;

export const RangeTypeSchema = Type.Union([
  Type.Literal('TAG_BASED'),
  Type.Literal('DATE_BASED'),
  Type.Literal('PR_BASED'),
  Type.Literal('FIRST_RELEASE'),
  Type.Literal('UNRELEASED'),
]);

/**
 * The evidence that decided which changes belong to a range. `compare`: the host's comparison. `commits`: captured
 * chains of pushes. `window`: the dates. Ranges by dates and by numbers always have `window`.
 */
export const ResolutionSchema = Type.Union([Type.Literal('compare'), Type.Literal('commits'), Type.Literal('window')]);

/**
 * True if the ancestors of a tagged commit are only assumed: the commit is inside a push, and it is assumed to descend
 * from the head of the branch before the push. The field is absent in all other cases.
 */
export const AssumedSchema = Type.Optional(
  Type.Literal(true, {
    description:
      'a tagged commit is inside a push, and it is assumed to descend from the head of the branch before the push',
  }),
);

/**
 * The host's comparison of the commits `from` and `to`. Both are shas, so the comparison never changes. `ancestry` is
 * the position of `to` relative to `from`. `groups` contains the commits that are reachable from `to` but not from
 * `from`, oldest first. Each group ends with a commit of the first-parent line. The other commits of the group are
 * those that this commit merged. Example: the commits X and Y of a branch, merged as M, are the group [X, Y, M].
 */
export const ComparisonRecordSchema = Type.Object({
  from: Type.String(),
  to: Type.String(),
  ancestry: Type.Union([Type.Literal('ahead'), Type.Literal('behind'), Type.Literal('diverged')]),
  groups: Type.Array(Type.Array(Type.String())),
});
export type ComparisonRecord = Static<typeof ComparisonRecordSchema>;

/** The bounds of a release range as requests name them, one set per type (spec part 4). */
const shownBounds = {
  type: RangeTypeSchema,
  fromTag: Type.Optional(Type.String()),
  toTag: Type.Optional(Type.String()),
  fromDate: Type.Optional(Type.String()),
  toDate: Type.Optional(Type.String()),
  fromPrNumber: Type.Optional(Type.Integer()),
  toPrNumber: Type.Optional(Type.Integer()),
  /** Time zone of the dates. Without it, the days are days in UTC. */
  timeZone: Type.Optional(Type.String()),
  /** The branch of an unreleased range. Without it, the range follows the default branch, also if that is renamed. */
  branch: Type.Optional(Type.String()),
  /** The tags that can be the beginning of an unreleased range, such as `pkg@*`. Without it, all tags can be. */
  tagPattern: Type.Optional(Type.String()),
  /** Whether prereleases can be the beginning of an unreleased range. */
  prereleases: Type.Optional(Type.Boolean()),
};
export const ShownBoundsSchema = Type.Object(shownBounds);
export type ShownBounds = Static<typeof ShownBoundsSchema>;

/**
 * The bounds of a release range. `span` has the instants at which the first day begins and the last day ends, in
 * milliseconds. It is set if the range has a time zone.
 */
export const RangeBoundsSchema = Type.Object({
  ...shownBounds,
  span: Type.Optional(Type.Object({ from: Type.Integer(), to: Type.Integer() })),
});
export type RangeBounds = Static<typeof RangeBoundsSchema>;

/**
 * The changes that a range has lost to retention. `changes` is the number of the range's changes that are erased. `at`
 * is the time of that count, a few seconds after the last erasure. `row` is the outbox row of the recount that the last erasure requested.
 */
export const RangeLossSchema = Type.Object({ changes: Type.Integer(), at: Instant, row: Type.Integer() });
export type RangeLoss = Static<typeof RangeLossSchema>;

/**
 * What an unreleased range begins and ends with, as last counted. `fromTag` is null if no release is on the branch yet,
 * and `head` is null if no push to the branch is captured. `begunAt` is the time of the head when the range was
 * created. Only a tag that was pushed at or after this time can end the range.
 */
export const OpenEndsSchema = Type.Object({
  fromTag: NullableString,
  branch: NullableString,
  head: NullableString,
  begunAt: Instant,
});
export type OpenEnds = Static<typeof OpenEndsSchema>;

/** The bounds of an unreleased range after the tag that it was heading for has arrived. */
export const ReachedBoundsSchema = Type.Union([
  Type.Object({ type: Type.Literal('TAG_BASED'), fromTag: Type.String(), toTag: Type.String() }),
  Type.Object({ type: Type.Literal('FIRST_RELEASE'), toTag: Type.String() }),
]);
export type ReachedBounds = Static<typeof ReachedBoundsSchema>;

/** A release range with its last counts. */
export const RangeRecordSchema = Type.Object({
  id: Type.String(),
  repoId: Type.String(),
  bounds: RangeBoundsSchema,
  prCount: Type.Integer(),
  issueCount: Type.Integer(),
  resolution: ResolutionSchema,
  assumed: AssumedSchema,
  createdAt: Instant,
  updatedAt: Instant,
  /**
   * The time at which the first publication of the range was completed. The field is absent before that time. It is
   * also absent if only an earlier version of Tidings has published the range.
   */
  publishedAt: Type.Optional(Instant),
  /**
   * Number of commits without a pull request, as last counted. The field is absent if only earlier versions of Tidings
   * have counted the range.
   */
  commitCount: Type.Optional(Type.Integer()),
  lost: Type.Optional(RangeLossSchema),
  /** Set for an unreleased range only. */
  openEnds: Type.Optional(OpenEndsSchema),
});
export type RangeRecord = Static<typeof RangeRecordSchema>;

export const PersonaSchema = Type.Union(personas.map((name) => Type.Literal(name)));
export type Persona = (typeof personas)[number];

/** Draft flags (spec part 2). */
export const DraftFlagsSchema = Type.Object({
  highlights: Type.Array(Type.String()),
  contributors: Type.Array(Type.String()),
  upgradeInstructions: Type.String(),
});
export type DraftFlags = Static<typeof DraftFlagsSchema>;

/** Flags that a person sets; null removes the person's earlier value. */
export const FlagChangesSchema = Type.Object({
  highlights: Type.Optional(Type.Union([Type.Array(Type.String()), Type.Null()])),
  contributors: Type.Optional(Type.Union([Type.Array(Type.String()), Type.Null()])),
  upgradeInstructions: Type.Optional(NullableString),
});
export type FlagChanges = Static<typeof FlagChangesSchema>;

/**
 * A draft. `ticket` is the id of the generation under way. `generatedMd` is the last generated text. When a person's
 * edits are merged into a new generated text, `generatedMd` is the base of the merge.
 */
export const DraftRecordSchema = Type.Object({
  id: Type.String(),
  rangeId: Type.String(),
  repoId: Type.String(),
  persona: PersonaSchema,
  status: Type.Union([Type.Literal('processing'), Type.Literal('ready'), Type.Literal('failed')]),
  ticket: NullableString,
  bodyMd: Type.String(),
  generatedMd: Type.String(),
  flags: DraftFlagsSchema,
  /** The last generated flags, which are the base of a merge. The field is set if a person has edited the flags. */
  generatedFlags: Type.Optional(DraftFlagsSchema),
  error: NullableString,
  /** Number of the revision that `bodyMd` belongs to; 0 before the first revision. */
  revision: Type.Integer(),
  createdAt: Instant,
  updatedAt: Instant,
  /**
   * Why generating the draft now would give another text than `generatedMd`, as last checked. The field is absent if
   * the draft is not outdated.
   */
  outdatedBecause: Type.Optional(Type.Array(OutdatedReasonSchema)),
  /** True if a check could not compare the draft during its generation. The draft is checked after the generation. */
  unchecked: Type.Optional(Type.Literal(true)),
  /** Digest of the content that a person changes. It is compared with the digests of the `If-Match` header. */
  digest: Type.String(),
});
export type DraftRecord = Static<typeof DraftRecordSchema>;

export const RevisionKindSchema = Type.Union([
  Type.Literal('generated'),
  Type.Literal('edited'),
  Type.Literal('merged'),
  Type.Literal('restored'),
]);

/** One revision of a draft. Equal texts are stored only once, under their digest. */
export const DraftRevisionSchema = Type.Object({
  number: Type.Integer({ minimum: 1 }),
  at: Instant,
  kind: RevisionKindSchema,
  /** Id of the key whose request wrote the revision; null if the service wrote it. */
  by: NullableString,
  bytes: Type.Integer(),
  /** Digest of the revision's text. */
  body: Type.String(),
  /**
   * Digest of the generated text that the revision's text is based on. This generated text is the base when the
   * revision is merged with a new generated text.
   */
  base: Type.String(),
  /**
   * `edited` is the digest of the revision's edited flags. `base` is the digest of the generated flags that were
   * edited. The field is set if a person had edited the flags.
   */
  flags: Type.Optional(Type.Object({ edited: Type.String(), base: Type.String() })),
});
export type DraftRevision = Static<typeof DraftRevisionSchema>;
