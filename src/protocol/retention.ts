/**
 * What retention speaks of: days, counts, what waits for an operator's word, what would go. Shapes only; `store/` keeps
 * them, `workers/partition` decides and erases, `api/` and `cli/` show them.
 */
import { type Static, Type } from '@sinclair/typebox';

const Instant = Type.Integer();

/** A UTC day, counted from 1970. */
export const DaySchema = Type.Integer({ description: 'days since 1970-01-01, UTC' });

/** How many records of each kind. */
export const RecordCountsSchema = Type.Object({
  pulls: Type.Integer(),
  issues: Type.Integer(),
  comments: Type.Integer(),
  pushes: Type.Integer(),
  commits: Type.Integer(),
});
export type RecordCounts = Static<typeof RecordCountsSchema>;

/** An organisation whose app was removed long enough ago, as the directory knew it then. */
export const DueOrganisationSchema = Type.Object({ id: Type.String(), uninstalledAt: Instant });
export type DueOrganisation = Static<typeof DueOrganisationSchema>;

/** What would go of a partition, of all it holds (pull requests, issues, comments and commits). */
export const ShareSchema = Type.Object({ partition: Type.String(), records: Type.Integer(), total: Type.Integer() });
export type Share = Static<typeof ShareSchema>;

/** Records whose last sync was before a day are to go. */
const RecordsWaitSchema = Type.Object({
  cause: Type.Literal('records'),
  before: DaySchema,
  records: Type.Integer(),
  total: Type.Integer(),
});

/** Repositories whose published notes stay, by id; absent in records of earlier versions, which kept none. */
const kept = Type.Optional(Type.Array(Type.String()));

/** Organisations are to go; `partitions` is how many there are, which tells where a repository lies. */
const OrganisationsWaitSchema = Type.Object({
  cause: Type.Literal('organisations'),
  organisations: Type.Array(DueOrganisationSchema),
  partitions: Type.Integer(),
  shares: Type.Array(ShareSchema),
  kept,
});
export type OrganisationsWait = Static<typeof OrganisationsWaitSchema>;

/** The clock is more than a day off the time that erasing trusts, ahead or behind. */
const ClockWaitSchema = Type.Object({ cause: Type.Literal('clock'), from: Instant, to: Instant });

/** What a partition's erasing waits for (`docs/architecture.md` decision 19); a word given names one of these exactly. */
export const WaitSchema = Type.Union([ClockWaitSchema, RecordsWaitSchema, OrganisationsWaitSchema]);
export type Wait = Static<typeof WaitSchema>;

/** What a sweep decides. `more` goes on with the one under way. */
export const SweepBodySchema = Type.Union([
  Type.Object({
    sweep: Type.Literal('records'),
    before: DaySchema,
    /** Ranges note what they lose by it. Records of earlier versions have no such field. */
    notesLosses: Type.Optional(Type.Literal(true)),
  }),
  Type.Object({
    sweep: Type.Literal('organisations'),
    organisations: Type.Array(DueOrganisationSchema),
    partitions: Type.Integer(),
    shares: Type.Array(ShareSchema),
    kept,
  }),
  Type.Object({ sweep: Type.Literal('more') }),
]);
export type SweepBody = Static<typeof SweepBodySchema>;

/** A sweep that has ended. `before` is null for the directory, which erases organisations. */
export interface LastSweep {
  at: number;
  before: number | null;
  erased: RecordCounts;
}

/** What a partition says of its retention: the time that erasing trusts, its last sweep, what it waits for. */
export interface RetentionStatus {
  partition: string;
  trustedTime: number;
  lastSweep: LastSweep | null;
  waiting: Wait[];
}

/** A repository with what it would lose. */
export interface RepositoryCounts {
  repoId: string;
  fullName: string;
  counts: RecordCounts;
  /** Notes of it that are on pages; where all of it is counted. */
  hostedNotes?: number;
}

/** What a sweep would erase of a partition now, and what single repositories hold in all. */
export interface Due {
  stale: RepositoryCounts[];
  whole: RepositoryCounts[];
  total: number;
}
