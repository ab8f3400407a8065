/**
 * The records a partition keeps, as its fold leaves them. Shapes only: `store/` reads and writes them, `workers/` folds
 * them, `notes/` turns them into drafts. Times are UTC instants in milliseconds; texts are minimised and redacted.
 */
import { type Static, Type } from '@sinclair/typebox';

const Instant = Type.Integer({ minimum: 0, description: 'milliseconds since 1970, UTC' });
const NullableInstant = Type.Union([Instant, Type.Null()]);
const NullableString = Type.Union([Type.String(), Type.Null()]);

/** A person or bot as the host names them; only the public handle is kept. */
export const AuthorSchema = Type.Object({
  login: Type.String({ description: '`ghost` when the account is gone' }),
  bot: Type.Boolean(),
});
export type Author = Static<typeof AuthorSchema>;

/** A repository as its own partition knows it (the directory holds who may see it). */
export const RepositoryRecordSchema = Type.Object({
  id: Type.String({ description: 'repo_…, derived from (host origin, host id)' }),
  origin: Type.String({ description: 'web address of the host, e.g. https://github.com' }),
  hostId: Type.String({
    description: 'number of the repository on its host, digits; `name:owner/repo` where the host sent none',
  }),
  fullName: Type.String(),
  formerNames: Type.Array(Type.String()),
  defaultBranch: NullableString,
  /** Other names that the default branch had, by name, each with the last instant at which it had it. */
  formerBranches: Type.Optional(Type.Array(Type.Tuple([Type.String(), Instant]))),
  url: Type.String(),
  private: Type.Boolean(),
  owner: Type.Object({ id: Type.String(), login: Type.String() }),
  createdAt: Instant,
  /** Host time of the newest snapshot that set the fields above. */
  seenAt: Instant,
  /** Counts every change that a ready-made response may show (`docs/architecture.md` decision 15). */
  revision: Type.Integer(),
  /** Organization under whose own secret alone it is known; absent once the owner is proved. */
  claimedBy: Type.Optional(Type.String()),
  /** The newest time that is proved, where its owner's own secret alone has told of a later one since. */
  provedAt: Type.Optional(Instant),
});
export type RepositoryRecord = Static<typeof RepositoryRecordSchema>;

/** Orders what snapshots tell: host time, then rank of the host's action within one second. */
export const VersionSchema = Type.Tuple([Instant, Type.Integer()]);
export type Version = Static<typeof VersionSchema>;

/** A captured pull request (spec part 2). `state` is `merged` as soon as a merge is proven, and stays so. */
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
  /** Numbers of issues linked by keyword in the body (spec part 2, rule 1). */
  linkedIssues: Type.Array(Type.Integer()),
  /** Orders two snapshots of the same second (host action rank). */
  rank: Type.Integer(),
  /** Versions of labels and merge commit where they are not the record's own (a later snapshot had none to say). */
  labelsAt: Type.Optional(VersionSchema),
  mergeShaAt: Type.Optional(VersionSchema),
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
  /** Versions of labels and state where they are not the record's own. */
  labelsAt: Type.Optional(VersionSchema),
  stateAt: Type.Optional(VersionSchema),
});
export type IssueRecord = Static<typeof IssueRecordSchema>;

export const CommentKindSchema = Type.Union([
  Type.Literal('discussion'),
  Type.Literal('review'),
  Type.Literal('review_comment'),
]);
export type CommentKind = Static<typeof CommentKindSchema>;

/**
 * A captured comment (spec part 2), its body without personal data. It may be there before its pull request or issue; a
 * deleted one stays as a tombstone without body or author.
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
});
export type CommentRecord = Static<typeof CommentRecordSchema>;

/** A commit seen in a push. `pushes` are the keys (branch, head sha) of the pushes that listed it. */
export const CommitRecordSchema = Type.Object({
  sha: Type.String(),
  message: Type.String(),
  at: NullableInstant,
  author: NullableString,
  coAuthors: Type.Array(Type.String({ description: 'handle' })),
  pushes: Type.Array(Type.Tuple([Type.String(), Type.String()])),
  /** Known once a backfill has read the commit: pushes do not tell. */
  parents: Type.Optional(Type.Array(Type.String())),
  /** No push has told of it yet. */
  backfilled: Type.Optional(Type.Boolean()),
});
export type CommitRecord = Static<typeof CommitRecordSchema>;

/** One branch push: `shas` oldest first, the last is `after`. `before` is null for a branch just created. */
export const PushRecordSchema = Type.Object({
  branch: Type.String(),
  before: NullableString,
  after: Type.String(),
  baseRef: NullableString,
  shas: Type.Array(Type.String()),
  forced: Type.Boolean(),
  /** The host listed fewer commits than were pushed: the chain is broken here. */
  gap: Type.Boolean(),
  at: Instant,
  /** Made from the graph that a backfill read: one step of the branch, and what it brought. */
  backfilled: Type.Optional(Type.Boolean()),
});
export type PushRecord = Static<typeof PushRecordSchema>;

/** A tag; `sha` is the commit (null until known), `tagObject` the annotated tag's own hash. */
export const TagRecordSchema = Type.Object({
  name: Type.String(),
  sha: NullableString,
  tagObject: NullableString,
  baseRef: NullableString,
  date: NullableInstant,
  pushedAt: Instant,
  deleted: Type.Boolean(),
  /** Nothing but a create or delete event has told of it yet. */
  hint: Type.Optional(Type.Boolean()),
});
export type TagRecord = Static<typeof TagRecordSchema>;

export const RangeTypeSchema = Type.Union([
  Type.Literal('TAG_BASED'),
  Type.Literal('DATE_BASED'),
  Type.Literal('PR_BASED'),
]);

/** Which evidence decided membership: the host's comparison, captured push chains, or the date window (also for dates and numbers). */
export const ResolutionSchema = Type.Union([Type.Literal('compare'), Type.Literal('commits'), Type.Literal('window')]);

/**
 * What a host says of two commits, `from` and `to`. Both are shas, so it holds for ever. `ancestry` is how `to` stands to
 * `from`; `groups` are the commits reachable from `to` and not from `from`, oldest first: each commit of the line of first
 * parents, last, after those that it made reachable.
 */
export const ComparisonRecordSchema = Type.Object({
  from: Type.String(),
  to: Type.String(),
  ancestry: Type.Union([Type.Literal('ahead'), Type.Literal('behind'), Type.Literal('diverged')]),
  groups: Type.Array(Type.Array(Type.String())),
});
export type ComparisonRecord = Static<typeof ComparisonRecordSchema>;

/** The bounds of a release range, one pair by type (spec part 4). */
export const RangeBoundsSchema = Type.Object({
  type: RangeTypeSchema,
  fromTag: Type.Optional(Type.String()),
  toTag: Type.Optional(Type.String()),
  fromDate: Type.Optional(Type.String()),
  toDate: Type.Optional(Type.String()),
  fromPrNumber: Type.Optional(Type.Integer()),
  toPrNumber: Type.Optional(Type.Integer()),
});
export type RangeBounds = Static<typeof RangeBoundsSchema>;

/**
 * How many changes of a range retention has erased, when that was last counted, and the recount that the last of these erasings
 * asked for, by its row in the outbox.
 */
export const RangeLossSchema = Type.Object({ changes: Type.Integer(), at: Instant, row: Type.Integer() });
export type RangeLoss = Static<typeof RangeLossSchema>;

/** A release range with its counts as last recounted. */
export const RangeRecordSchema = Type.Object({
  id: Type.String(),
  repoId: Type.String(),
  bounds: RangeBoundsSchema,
  prCount: Type.Integer(),
  issueCount: Type.Integer(),
  resolution: ResolutionSchema,
  createdAt: Instant,
  updatedAt: Instant,
  /** When its first publication was completed; absent before, and where earlier versions published it. */
  publishedAt: Type.Optional(Instant),
  /** Commits without a pull request, as last recounted; absent where only earlier versions have counted. */
  commitCount: Type.Optional(Type.Integer()),
  lost: Type.Optional(RangeLossSchema),
});
export type RangeRecord = Static<typeof RangeRecordSchema>;

export const PersonaSchema = Type.Union([Type.Literal('engineer'), Type.Literal('internal'), Type.Literal('customer')]);
export type Persona = Static<typeof PersonaSchema>;

/** Draft flags (spec part 2). */
export const DraftFlagsSchema = Type.Object({
  highlights: Type.Array(Type.String()),
  contributors: Type.Array(Type.String()),
  upgradeInstructions: Type.String(),
});
export type DraftFlags = Static<typeof DraftFlagsSchema>;

/** Flags that a person sets; null takes what the person set before back. */
export const FlagChangesSchema = Type.Object({
  highlights: Type.Optional(Type.Union([Type.Array(Type.String()), Type.Null()])),
  contributors: Type.Optional(Type.Union([Type.Array(Type.String()), Type.Null()])),
  upgradeInstructions: Type.Optional(NullableString),
});
export type FlagChanges = Static<typeof FlagChangesSchema>;

/** A draft. `ticket` is the generation under way; `generatedMd` is what was last generated, the base of a merge. */
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
  /** What was last generated, where a person has edited the flags: the base of a merge. */
  generatedFlags: Type.Optional(DraftFlagsSchema),
  error: NullableString,
  /** Number of the revision that bodyMd is; 0 before there is one. */
  revision: Type.Integer(),
  createdAt: Instant,
  updatedAt: Instant,
  /** Of all that a response shows: what a validator compares. */
  digest: Type.String(),
});
export type DraftRecord = Static<typeof DraftRecordSchema>;

export const RevisionKindSchema = Type.Union([
  Type.Literal('generated'),
  Type.Literal('edited'),
  Type.Literal('merged'),
  Type.Literal('restored'),
]);

/** One body of a draft. The texts themselves are kept once each, by their digests. */
export const DraftRevisionSchema = Type.Object({
  number: Type.Integer({ minimum: 1 }),
  at: Instant,
  kind: RevisionKindSchema,
  /** Id of the key that wrote it; null for what the service wrote. */
  by: NullableString,
  bytes: Type.Integer(),
  /** Digest of its body. */
  body: Type.String(),
  /** Digest of the generated text that the body came from: the base of a merge that starts from it. */
  base: Type.String(),
  /** Digests of its flags and of the generated flags they came from, where a person had edited them. */
  flags: Type.Optional(Type.Object({ edited: Type.String(), base: Type.String() })),
});
export type DraftRevision = Static<typeof DraftRevisionSchema>;
