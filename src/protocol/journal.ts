/**
 * The records of the journal: everything that changes a partition, in the order it was accepted (`docs/architecture.md`).
 * Shapes only; `journal/codec` packs them, `intake/` and `api/` make them, `workers/partition` folds them.
 */
import { type Static, Type } from '@sinclair/typebox';
import { BackfillProgressSchema, TagSyncSchema } from './backfill.ts';
import { CommandSchema, DirectoryCommandSchema, OnceSchema, RetentionCommandSchema } from './commands.ts';
import { PublicationSendingSchema, PublishedSchema, PublishFailedSchema } from './publications.ts';
import { type EventRepository, EventRepositorySchema } from './repository.ts';
import { SweepBodySchema } from './retention.ts';
import { CommentKindSchema, ComparisonRecordSchema, DraftFlagsSchema, ResolutionSchema } from './stored.ts';
import { WebhookAttemptedSchema, WebhookEventRelaySchema } from './webhooks.ts';

const Instant = Type.Integer();
const Nullable = <T extends ReturnType<typeof Type.String> | ReturnType<typeof Type.Integer>>(schema: T) =>
  Type.Union([schema, Type.Null()]);

export { type EventRepository, EventRepositorySchema };

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

/** A branch push, or one part of a long one; between two parts stands an id that is no commit's (`partEnd` of `src/ids.ts`). */
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

const recordBase = {
  /** Unique for ever; a record read twice has the same id. */
  id: Type.String(),
  /** Time of enqueuing; the highest one folded is the partition's time. */
  at: Instant,
  /** Marks a dead letter replayed by a person, by its place: it counts once, and passes what knows it on purpose. */
  replayed: Type.Optional(Type.Object({ seq: Type.Integer(), index: Type.Integer() })),
};

/** A delivery, minimised and redacted. `due` is set when its organisation was over the ingestion limit. */
export const EventRecordSchema = Type.Object({
  ...recordBase,
  kind: Type.Literal('event'),
  delivery: Type.String(),
  source: Type.String(),
  part: Type.Integer(),
  due: Type.Optional(Instant),
  repository: EventRepositorySchema,
  body: EventBodySchema,
});
export type EventRecord = Static<typeof EventRecordSchema>;

/**
 * What was read from the host's REST API: a page of a backfill, tags that a synchronisation found, or what a range to be was
 * looked up for. `seenAt` is when the repository was asked for. A page that does not fit is several records, the last of which carries `progress`.
 */
export const BackfilledRecordSchema = Type.Object({
  ...recordBase,
  kind: Type.Literal('backfilled'),
  /** The backfill it belongs to; null for a synchronisation of tags and for what a range needs. */
  job: Nullable(Type.String()),
  repository: EventRepositorySchema,
  seenAt: Instant,
  bodies: Type.Array(BackfilledBodySchema),
  progress: Type.Optional(BackfillProgressSchema),
  tagSync: Type.Optional(TagSyncSchema),
});
export type BackfilledRecord = Static<typeof BackfilledRecordSchema>;

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

/** A delivery about an installation; it goes to the directory. */
export const InstallationRecordSchema = Type.Object({
  ...recordBase,
  kind: Type.Literal('installation'),
  delivery: Type.String(),
  source: Type.String(),
  /** Absent = 0. */
  part: Type.Optional(Type.Integer()),
  /** How many partitions of repositories there are: those of a renamed owner are told. */
  partitions: Type.Optional(Type.Integer()),
  body: InstallationBodySchema,
});
export type InstallationRecord = Static<typeof InstallationRecordSchema>;

/** An API write; its result is stored under the record's id. */
export const CommandRecordSchema = Type.Object({
  ...recordBase,
  kind: Type.Literal('command'),
  command: Type.Union([CommandSchema, DirectoryCommandSchema, RetentionCommandSchema]),
  once: Type.Optional(OnceSchema),
});
export type CommandRecord = Static<typeof CommandRecordSchema>;

/** What became of a render task. */
export const RenderResultSchema = Type.Object({
  result: Type.Literal('rendered'),
  draftId: Type.String(),
  ticket: Type.String(),
  row: Type.Integer(),
  /** Journal sequence the render had read up to. */
  inputSeq: Type.Integer(),
  bodyMd: Type.String(),
  flags: DraftFlagsSchema,
});
export const RenderFailureSchema = Type.Object({
  result: Type.Literal('renderFailed'),
  draftId: Type.String(),
  ticket: Type.String(),
  row: Type.Integer(),
  error: Type.String(),
});
/** Fresh counts of a repository's ranges; `row` is the outbox row it answers. */
export const RecountResultSchema = Type.Object({
  result: Type.Literal('recounted'),
  repoId: Type.String(),
  row: Type.Integer(),
  counts: Type.Array(
    Type.Object({
      rangeId: Type.String(),
      prCount: Type.Integer(),
      issueCount: Type.Integer(),
      resolution: ResolutionSchema,
    }),
  ),
});
/** The relay has put all rows up to `row` on the lane of `target`. */
export const RelayedResultSchema = Type.Object({
  result: Type.Literal('relayed'),
  target: Type.String(),
  row: Type.Integer(),
});
export const ResultBodySchema = Type.Union([
  RenderResultSchema,
  RenderFailureSchema,
  RecountResultSchema,
  RelayedResultSchema,
  PublicationSendingSchema,
  PublishedSchema,
  PublishFailedSchema,
  WebhookAttemptedSchema,
]);
export type ResultBody = Static<typeof ResultBodySchema>;

/** The outcome of an effect that left through the outbox. */
export const ResultRecordSchema = Type.Object({ ...recordBase, kind: Type.Literal('result'), body: ResultBodySchema });
export type ResultRecord = Static<typeof ResultRecordSchema>;

/** What one partition tells another; deduped at the target by (source, row). */
export const RelayBodySchema = Type.Union([
  Type.Object({ relay: Type.Literal('repositorySeen'), repository: EventRepositorySchema, seenAt: Instant }),
  /** The organisation of a repository was erased: everything of it goes. */
  Type.Object({ relay: Type.Literal('repositoryErased'), repoId: Type.String() }),
  /** The owner of a repository was renamed: its name changes with it. */
  Type.Object({
    relay: Type.Literal('ownerRenamed'),
    repoId: Type.String(),
    ownerId: Type.String(),
    login: Type.String(),
  }),
  /** Something to count for the organisation of a repository, in the month of `countedAt`. */
  Type.Object({
    relay: Type.Literal('counted'),
    repoId: Type.String(),
    counter: Type.Union([Type.Literal('draftsGenerated'), Type.Literal('publishedReleases')]),
    countedAt: Instant,
  }),
  WebhookEventRelaySchema,
]);
export type RelayBody = Static<typeof RelayBodySchema>;

export const RelayRecordSchema = Type.Object({
  ...recordBase,
  kind: Type.Literal('relay'),
  source: Type.String(),
  row: Type.Integer(),
  body: RelayBodySchema,
});
export type RelayRecord = Static<typeof RelayRecordSchema>;

/** Moves a partition's time when nothing else does. `padding` fills a block of the journal, so that it can be dropped whole. */
export const TickRecordSchema = Type.Object({
  ...recordBase,
  kind: Type.Literal('tick'),
  padding: Type.Optional(Type.String()),
});
export type TickRecord = Static<typeof TickRecordSchema>;

/** Erases what has been kept long enough, piece by piece (`docs/architecture.md` decision 19). */
export const SweepRecordSchema = Type.Object({ ...recordBase, kind: Type.Literal('sweep'), body: SweepBodySchema });
export type SweepRecord = Static<typeof SweepRecordSchema>;

/** API calls of an organisation since the last record, in one month and one daily window (`daySince`; 0 without a limit). */
export const UsageCallsSchema = Type.Object({
  org: Type.String({ description: 'org_…, or `instance` for keys of the instance' }),
  month: Type.String({ description: 'YYYY-MM, UTC' }),
  daySince: Instant,
  calls: Type.Integer(),
});
export type UsageCalls = Static<typeof UsageCallsSchema>;

/** What a gateway has counted since its last such record; `boot` and `number` tell one that comes twice. */
export const UsageRecordSchema = Type.Object({
  ...recordBase,
  kind: Type.Literal('usage'),
  boot: Type.String(),
  number: Type.Integer(),
  calls: Type.Array(UsageCallsSchema),
  /** When keys were last used. */
  keys: Type.Array(Type.Object({ id: Type.String(), usedAt: Instant })),
});
export type UsageRecord = Static<typeof UsageRecordSchema>;

export const JournalRecordSchema = Type.Union([
  EventRecordSchema,
  BackfilledRecordSchema,
  InstallationRecordSchema,
  CommandRecordSchema,
  ResultRecordSchema,
  RelayRecordSchema,
  TickRecordSchema,
  SweepRecordSchema,
  UsageRecordSchema,
]);
export type JournalRecord = Static<typeof JournalRecordSchema>;
