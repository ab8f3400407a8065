/**
 * The shapes of a backfill, which reads a repository's older history: the row of the backfill in the partition, and its
 * progress. `workers/host/` reads the history and writes journal records. `workers/fold/backfills.ts` folds these
 * records.
 */
import { type Static, Type } from '@sinclair/typebox';

const Instant = Type.Integer({ minimum: 0 });
const NullableInstant = Type.Union([Instant, Type.Null()]);
const NullableString = Type.Union([Type.String(), Type.Null()]);

/** The lists that a backfill reads from the host, in this order. */
export const backfillPhases = [
  'pulls',
  'issues',
  'tags',
  'releases',
  'commits',
  'issueComments',
  'reviewComments',
  'reviews',
] as const;
export type BackfillPhase = (typeof backfillPhases)[number];
const PhaseSchema = Type.Union(backfillPhases.map((phase) => Type.Literal(phase)));

export const BackfillStateSchema = Type.Union([
  Type.Literal('running'),
  /** The backfill waits because the host asked Tidings to wait or cannot be reached. */
  Type.Literal('waiting'),
  Type.Literal('completed'),
  Type.Literal('failed'),
  Type.Literal('cancelled'),
]);

/** The place in the lists at which a backfill continues, even in another process. */
export const BackfillPositionSchema = Type.Object({
  phase: PhaseSchema,
  /** Address of the page to read next, as the host gave it; null = the first page of the list. */
  next: NullableString,
  /** Whether the list is being read a second time, to find items that moved to its front during the first reading. */
  again: Type.Boolean(),
  /** `etag` is the etag of the list's first page. `newest` is the newest host time on that page. */
  etag: NullableString,
  newest: NullableInstant,
  /** Branches that are not completely read yet. The first branch in the list is being read. */
  branches: Type.Array(Type.Object({ name: Type.String(), head: Type.String() })),
  /**
   * Whether all commits of the current branch have been listed. If true, the next task computes the steps of the
   * branch: one step per commit of its first-parent line.
   */
  listed: Type.Boolean(),
  /** Number of the last pull request whose reviews were requested. */
  number: Type.Integer(),
});
export type BackfillPosition = Static<typeof BackfillPositionSchema>;

/**
 * Progress of a phase, counted in pages. In the phase `reviews`, progress is counted in pull requests. `total` is null
 * while it is unknown.
 */
export const PhaseProgressSchema = Type.Object({
  done: Type.Integer(),
  total: Type.Union([Type.Integer(), Type.Null()]),
});
export type PhaseProgress = Static<typeof PhaseProgressSchema>;

/** A list that was read completely. The next backfill does not read the same items again. */
export const ReadListSchema = Type.Object({
  /** Items whose last change was before this time were not read; null = all items were read. */
  since: NullableInstant,
  etag: NullableString,
  /** The newest host time on the list's first page. */
  newest: NullableInstant,
});
export type ReadList = Static<typeof ReadListSchema>;

export const BackfillWaitsSchema = Type.Object({
  count: Type.Integer(),
  ms: Type.Integer(),
  /** When the current wait ends. */
  until: NullableInstant,
});

/**
 * The state of a backfill. Each page updates the state and increases `step`. A page that arrives late has a lower step
 * than the stored step. Such a page changes nothing.
 */
export const BackfillProgressSchema = Type.Object({
  step: Type.Integer(),
  state: Type.Exclude(BackfillStateSchema, Type.Literal('cancelled')),
  position: BackfillPositionSchema,
  phases: Type.Record(Type.String(), PhaseProgressSchema),
  counts: Type.Record(Type.String(), Type.Integer()),
  waits: BackfillWaitsSchema,
  lists: Type.Record(Type.String(), ReadListSchema),
  error: NullableString,
});
export type BackfillProgress = Static<typeof BackfillProgressSchema>;

/** The newest backfill of a repository. */
export const BackfillRecordSchema = Type.Composite([
  Type.Omit(BackfillProgressSchema, ['state']),
  Type.Object({
    id: Type.String(),
    repoId: Type.String(),
    state: BackfillStateSchema,
    /** Items whose last change was before this time are not read; null = all items are read. */
    since: NullableInstant,
    /**
     * Earlier backfills have computed the steps of branches back to this time. When a backfill reaches a step that is
     * already computed, the backfill can stop reading the branch.
     */
    depth: NullableInstant,
    installationId: NullableString,
    percent: Type.Integer(),
    startedAt: Instant,
    updatedAt: Instant,
    finishedAt: NullableInstant,
    /** The outbox row that keeps the backfill running. */
    row: Type.Integer(),
  }),
]);
export type BackfillRecord = Static<typeof BackfillRecordSchema>;

/** The last tag sync of a repository. */
export const TagSyncSchema = Type.Object({ at: Instant, etag: NullableString });
export type TagSync = Static<typeof TagSyncSchema>;
