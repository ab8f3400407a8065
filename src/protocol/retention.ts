/**
 * Shapes of retention: days, counts, waits for an operator's approval, and the records that a sweep would erase.
 * `store/` keeps them, `workers/partition` decides and erases, and `api/` and `cli/` show them.
 */
import { type Static, Type } from '@sinclair/typebox';

const Instant = Type.Integer();

/** A UTC day, as the number of days since 1970-01-01. */
export const DaySchema = Type.Integer({ description: 'days since 1970-01-01, UTC' });

/** Number of records of each kind. */
export const RecordCountsSchema = Type.Object({
  pulls: Type.Integer(),
  issues: Type.Integer(),
  comments: Type.Integer(),
  pushes: Type.Integer(),
  commits: Type.Integer(),
});
export type RecordCounts = Static<typeof RecordCountsSchema>;

/**
 * An organization that is due to be erased, because its app was removed long enough ago. `uninstalledAt` is the time of
 * the removal, as the directory partition stored it when the erasure was decided.
 */
export const DueOrganizationSchema = Type.Object({ id: Type.String(), uninstalledAt: Instant });
export type DueOrganization = Static<typeof DueOrganizationSchema>;

/**
 * `records` is the number of records of a partition that a sweep would erase. `total` is the number of all pull
 * requests, issues, comments and commits of that partition.
 */
export const ShareSchema = Type.Object({ partition: Type.String(), records: Type.Integer(), total: Type.Integer() });
export type Share = Static<typeof ShareSchema>;

/** A sweep waits for approval. It would erase the records whose last sync was earlier than the day `before`. */
const RecordsWaitSchema = Type.Object({
  cause: Type.Literal('records'),
  before: DaySchema,
  records: Type.Integer(),
  total: Type.Integer(),
});

/**
 * Ids of the repositories whose published notes are kept. The field is absent in records of earlier versions of
 * Tidings, which kept no notes.
 */
const kept = Type.Optional(Type.Array(Type.String()));

/**
 * An erasure of organizations waits for approval. `partitions` is the number of repository partitions. The partition of
 * each repository depends on this number. Journals use the spelling `organisations`.
 */
const OrganizationsWaitSchema = Type.Object({
  cause: Type.Literal('organisations'),
  organisations: Type.Array(DueOrganizationSchema),
  partitions: Type.Integer(),
  shares: Type.Array(ShareSchema),
  kept,
});
export type OrganizationsWait = Static<typeof OrganizationsWaitSchema>;

/** Erasures wait because the clock is more than a day ahead of or behind the trusted time. */
const ClockWaitSchema = Type.Object({ cause: Type.Literal('clock'), from: Instant, to: Instant });

/**
 * The reasons why the erasures of a partition wait (`docs/architecture.md` decision 19). An approval is for exactly one
 * of these waits.
 */
export const WaitSchema = Type.Union([ClockWaitSchema, RecordsWaitSchema, OrganizationsWaitSchema]);
export type Wait = Static<typeof WaitSchema>;

/** The content of a sweep record, which is an instruction to erase. `more` continues the sweep under way. */
export const SweepBodySchema = Type.Union([
  Type.Object({
    sweep: Type.Literal('records'),
    before: DaySchema,
    /**
     * True if this sweep also records, for each range, how many changes of the range are erased. The field is absent in
     * records of earlier versions of Tidings.
     */
    notesLosses: Type.Optional(Type.Literal(true)),
  }),
  Type.Object({
    sweep: Type.Literal('organisations'),
    organisations: Type.Array(DueOrganizationSchema),
    partitions: Type.Integer(),
    shares: Type.Array(ShareSchema),
    kept,
  }),
  Type.Object({ sweep: Type.Literal('more') }),
]);
export type SweepBody = Static<typeof SweepBodySchema>;

/**
 * A completed sweep. `before` is null for the directory partition, because this partition erases organizations instead
 * of old records.
 */
export interface LastSweep {
  at: number;
  before: number | null;
  erased: RecordCounts;
}

/** A partition's retention state: its trusted time, its last sweep, and its waits. */
export interface RetentionStatus {
  partition: string;
  trustedTime: number;
  lastSweep: LastSweep | null;
  waiting: Wait[];
}

/** A repository, and the number of its records that would be erased. */
export interface RepositoryCounts {
  repoId: string;
  fullName: string;
  counts: RecordCounts;
  /**
   * Number of the repository's notes on pages. The field is set only if `counts` covers all records of the repository.
   */
  hostedNotes?: number;
}

/**
 * `stale` counts the records of a partition that a sweep would erase now, per repository. `whole` counts all records of
 * each repository in the request. `total` is the number of all records of the partition.
 */
export interface Due {
  stale: RepositoryCounts[];
  whole: RepositoryCounts[];
  total: number;
}
