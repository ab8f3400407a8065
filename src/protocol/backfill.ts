/**
 * A backfill of a repository's older history: its row in the partition, and what a page's record says of how far it has
 * come. Shapes only; `workers/host/` carries backfills out, `workers/fold/backfills.ts` folds what they tell.
 */
import { type Static, Type } from '@sinclair/typebox';

const Instant = Type.Integer({ minimum: 0 });
const NullableInstant = Type.Union([Instant, Type.Null()]);
const NullableString = Type.Union([Type.String(), Type.Null()]);

/** What is read, in this order. */
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
  /** The host asks for patience, or is away. */
  Type.Literal('waiting'),
  Type.Literal('completed'),
  Type.Literal('failed'),
  Type.Literal('cancelled'),
]);

/** Where a backfill goes on, also in another process. */
export const BackfillPositionSchema = Type.Object({
  phase: PhaseSchema,
  /** Address of the page to read next, as the host gave it; null = the list's first. */
  next: NullableString,
  /** The list is read a second time, for what moved to its front meanwhile. */
  again: Type.Boolean(),
  /** Of the list's first page: its etag, and the newest of the host's times on it. */
  etag: NullableString,
  newest: NullableInstant,
  /** Branches still to be read; the first is under way. */
  branches: Type.Array(Type.Object({ name: Type.String(), head: Type.String() })),
  /** The branch under way is listed; its steps come next. */
  listed: Type.Boolean(),
  /** The last pull request whose reviews were asked for. */
  number: Type.Integer(),
});
export type BackfillPosition = Static<typeof BackfillPositionSchema>;

/** How far a phase is, in pages (reviews: in pull requests); `total` null while nobody knows. */
export const PhaseProgressSchema = Type.Object({
  done: Type.Integer(),
  total: Type.Union([Type.Integer(), Type.Null()]),
});
export type PhaseProgress = Static<typeof PhaseProgressSchema>;

/** A list that was read to its end: what the next backfill need not read again. */
export const ReadListSchema = Type.Object({
  /** How far back it was read; null = to the beginning. */
  since: NullableInstant,
  etag: NullableString,
  /** The newest of the host's times on its first page. */
  newest: NullableInstant,
});
export type ReadList = Static<typeof ReadListSchema>;

export const BackfillWaitsSchema = Type.Object({
  count: Type.Integer(),
  ms: Type.Integer(),
  /** When the wait under way ends. */
  until: NullableInstant,
});

/** What changes with every page. `step` rises with each; an earlier one that comes late changes nothing. */
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
    /** Nothing last changed before is read; null = everything. */
    since: NullableInstant,
    /** How far back the steps of branches reach that earlier backfills left: where they do, reading can end. */
    depth: NullableInstant,
    installationId: NullableString,
    percent: Type.Integer(),
    startedAt: Instant,
    updatedAt: Instant,
    finishedAt: NullableInstant,
    /** The outbox row that keeps it going. */
    row: Type.Integer(),
  }),
]);
export type BackfillRecord = Static<typeof BackfillRecordSchema>;

/** The last synchronisation of a repository's tags. */
export const TagSyncSchema = Type.Object({ at: Instant, etag: NullableString });
export type TagSync = Static<typeof TagSyncSchema>;
