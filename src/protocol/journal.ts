/**
 * The shapes of journal records. The journal contains everything that changes a partition, in the order of acceptance
 * (`docs/architecture.md`). `journal/codec` packs records, `intake/` and `api/` make them, and `workers/partition`
 * folds them.
 */
import { type Static, Type } from '@sinclair/typebox';
import { BackfillProgressSchema, TagSyncSchema } from './backfill.ts';
import { CommandSchema, DirectoryCommandSchema, OnceSchema, RetentionCommandSchema } from './commands.ts';
import { BackfilledBodySchema, EventBodySchema, InstallationBodySchema, Nullable, SignedBySchema } from './events.ts';
import { RelayBodySchema } from './relays.ts';
import { EventRepositorySchema } from './repository.ts';
import { ResultBodySchema } from './results.ts';
import { SweepBodySchema } from './retention.ts';
import { reports } from './webhooks.ts';

const Instant = Type.Integer();

const recordBase = {
  /** Unique id of the record. A record that is read twice has the same id both times. */
  id: Type.String(),
  /** Time of enqueuing, in milliseconds. The highest time of all folded records is the partition's time. */
  at: Instant,
  /**
   * The field is set if a person has replayed the record after it became a dead letter. The value is the position of
   * the dead letter. The record is folded once, without the checks that would reject it as a duplicate.
   */
  replayed: Type.Optional(Type.Object({ seq: Type.Integer(), index: Type.Integer() })),
  /**
   * Term of the lead that has enqueued the record. The field is set if the record begins something that only the lead
   * of a partition may begin: a tick, a piece of a sweep, a page of a backfill, an attempt to publish. The fold drops
   * the record if the partition has another lead by then (`docs/architecture.md` decision 35).
   */
  term: Type.Optional(Type.Integer()),
};

/** A delivery, minimized and redacted. `due` is set if the delivery's organization was over the ingestion limit. */
export const EventRecordSchema = Type.Object({
  ...recordBase,
  kind: Type.Literal('event'),
  delivery: Type.String(),
  source: Type.String(),
  part: Type.Integer(),
  due: Type.Optional(Instant),
  signedBy: Type.Optional(SignedBySchema),
  repository: EventRepositorySchema,
  body: EventBodySchema,
});
export type EventRecord = Static<typeof EventRecordSchema>;

/**
 * Data that was read over the host's REST API: a page of a backfill, the result of a tag sync, or data for a range that
 * is being created. `seenAt` is the time at which the host was asked for the repository. If `repository` is the stored
 * description, `seenAt` is the host time of this description. A page that does not fit into one record is split into
 * several records. Only the last of these records contains `progress`.
 */
export const BackfilledRecordSchema = Type.Object({
  ...recordBase,
  kind: Type.Literal('backfilled'),
  /** Id of the backfill that read the data; null if the data was read for a tag sync or for a new range. */
  job: Nullable(Type.String()),
  repository: EventRepositorySchema,
  /**
   * The field is set if the host has described the repository and confirmed its owner. It is absent if `repository` is
   * the stored description. It is also absent in records of earlier versions of Tidings.
   */
  confirmed: Type.Optional(Type.Literal(true)),
  seenAt: Instant,
  bodies: Type.Array(BackfilledBodySchema),
  progress: Type.Optional(BackfillProgressSchema),
  reports,
  tagSync: Type.Optional(TagSyncSchema),
});
export type BackfilledRecord = Static<typeof BackfilledRecordSchema>;

/** A delivery about an installation, for the directory partition. */
export const InstallationRecordSchema = Type.Object({
  ...recordBase,
  kind: Type.Literal('installation'),
  delivery: Type.String(),
  source: Type.String(),
  /** Number of this part of the delivery; absent = 0. */
  part: Type.Optional(Type.Integer()),
  /**
   * Number of repository partitions. When an owner is renamed, the directory partition informs all of them, so it needs
   * this number.
   */
  partitions: Type.Optional(Type.Integer()),
  signedBy: Type.Optional(SignedBySchema),
  body: InstallationBodySchema,
});
export type InstallationRecord = Static<typeof InstallationRecordSchema>;

/** An API write. The result of the write is stored under the record's id. */
export const CommandRecordSchema = Type.Object({
  ...recordBase,
  kind: Type.Literal('command'),
  command: Type.Union([CommandSchema, DirectoryCommandSchema, RetentionCommandSchema]),
  once: Type.Optional(OnceSchema),
});
export type CommandRecord = Static<typeof CommandRecordSchema>;

/** The outcome of an effect, for example of a render or a publication. */
export const ResultRecordSchema = Type.Object({ ...recordBase, kind: Type.Literal('result'), body: ResultBodySchema });
export type ResultRecord = Static<typeof ResultRecordSchema>;

export const RelayRecordSchema = Type.Object({
  ...recordBase,
  kind: Type.Literal('relay'),
  source: Type.String(),
  row: Type.Integer(),
  body: RelayBodySchema,
});
export type RelayRecord = Static<typeof RelayRecordSchema>;

/**
 * Advances a partition's time when no other record does so. Ticks with `padding` fill a block of the journal, because
 * only a full block can be removed as a whole.
 */
export const TickRecordSchema = Type.Object({
  ...recordBase,
  kind: Type.Literal('tick'),
  padding: Type.Optional(Type.String()),
  /** The digest of the lead's state, for comparison with the state of other nodes. Absent on one machine. */
  digest: Type.Optional(Type.Object({ seq: Type.Integer(), value: Type.Integer() })),
});
export type TickRecord = Static<typeof TickRecordSchema>;

/** Erases records after their retention period, piece by piece (`docs/architecture.md` decision 19). */
export const SweepRecordSchema = Type.Object({ ...recordBase, kind: Type.Literal('sweep'), body: SweepBodySchema });
export type SweepRecord = Static<typeof SweepRecordSchema>;

/**
 * API calls of an organization that a gateway has counted since its previous usage record. All these calls are from one
 * calendar month and one daily window. `daySince` is the beginning of the daily window, or 0 without a daily limit.
 */
export const UsageCallsSchema = Type.Object({
  org: Type.String({ description: 'id of the organization (org_…), or `instance` for instance keys' }),
  month: Type.String({ description: 'YYYY-MM, UTC' }),
  daySince: Instant,
  calls: Type.Integer(),
});
export type UsageCalls = Static<typeof UsageCallsSchema>;

/**
 * The usage that a gateway has counted since its previous usage record. Two records with the same `boot` and the same
 * `number` are duplicates.
 */
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

/**
 * Makes a process the lead of the partition, if `term` is higher than the term of the current lead. `life` is the id of
 * the process, not of the machine: a process that was started again must not take the claim of its predecessor for its
 * own (`docs/architecture.md` decision 33).
 */
export const ClaimRecordSchema = Type.Object({
  ...recordBase,
  kind: Type.Literal('claim'),
  term: Type.Integer(),
  life: Type.String(),
  node: Type.String(),
});
export type ClaimRecord = Static<typeof ClaimRecordSchema>;

/**
 * Raises the version of the rules by which the partition is folded. A version of Tidings that does not know the rules
 * stops at this record (`docs/architecture.md` decision 46).
 */
export const FoldVersionRecordSchema = Type.Object({
  ...recordBase,
  kind: Type.Literal('foldVersion'),
  version: Type.Integer(),
});
export type FoldVersionRecord = Static<typeof FoldVersionRecordSchema>;

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
  ClaimRecordSchema,
  FoldVersionRecordSchema,
]);
export type JournalRecord = Static<typeof JournalRecordSchema>;
