/**
 * The records of the journal: everything that changes a partition, in the order it was accepted (`docs/architecture.md`).
 * Shapes only; `journal/codec` packs them, `intake/` and `api/` make them, `workers/partition` folds them.
 */
import { type Static, Type } from '@sinclair/typebox';
import { BackfillProgressSchema, TagSyncSchema } from './backfill.ts';
import { CommandSchema, DirectoryCommandSchema, OnceSchema, RetentionCommandSchema } from './commands.ts';
import { BackfilledBodySchema, EventBodySchema, InstallationBodySchema, Nullable, SignedBySchema } from './events.ts';
import { RelayBodySchema } from './relays.ts';
import { EventRepositorySchema } from './repository.ts';
import { ResultBodySchema } from './results.ts';
import { SweepBodySchema } from './retention.ts';

const Instant = Type.Integer();

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
  signedBy: Type.Optional(SignedBySchema),
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
  /** The repository is as its host describes it, its owner confirmed; else it is as stored, or of an earlier version. */
  confirmed: Type.Optional(Type.Literal(true)),
  seenAt: Instant,
  bodies: Type.Array(BackfilledBodySchema),
  progress: Type.Optional(BackfillProgressSchema),
  tagSync: Type.Optional(TagSyncSchema),
});
export type BackfilledRecord = Static<typeof BackfilledRecordSchema>;

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
  signedBy: Type.Optional(SignedBySchema),
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

/** The outcome of an effect that left through the outbox. */
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
