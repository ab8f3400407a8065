/**
 * Live events: what a stream of `GET /api/events` sends while the data of repositories change. An event holds ids,
 * numbers and closed words only, never a text that a person wrote. A client that receives an event reads the object
 * again. Later versions may add events and fields, so clients must accept both.
 */
import { type Static, type TObject, Type } from '@sinclair/typebox';
import { BackfillStateSchema } from './backfill.ts';
import { ChannelNameSchema } from './channels.ts';
import { positionOfEvent } from './positions.ts';
import { publicationStates } from './publications.ts';
import { type RefusalReason, refusalReasons } from './refused-deliveries.ts';
import { backfillId, count, draftId, publicationId, rangeId, repoId } from './resources/fields.ts';
import { PersonaSchema, ResolutionSchema } from './stored.ts';

/** What changed in a repository. `repository` is the repository itself, such as its name or its connection. */
export const repositoryChanges = ['pull_request', 'issues', 'comment', 'push', 'tag', 'label', 'repository'] as const;
export type RepositoryChange = (typeof repositoryChanges)[number];

const reasons = Object.keys(refusalReasons) as RefusalReason[];

const RepositoryEventSchema = eventOf(
  'repo.event',
  'Something of a repository was captured. Sent at most once per second for each repository.',
  {
    repoId,
    event: Type.Optional(
      Type.Union(
        repositoryChanges.map((each) => Type.Literal(each)),
        { examples: ['pull_request'], description: 'What changed; absent if several things changed' },
      ),
    ),
  },
);

const RangeCountsSchema = eventOf(
  'range.counts',
  'A range was created or counted again. Sent at most once per second for each range.',
  {
    repoId,
    rangeId,
    counts: Type.Object({
      prCount: count(12),
      issueCount: count(3),
      resolution: { ...ResolutionSchema, examples: ['compare'] },
    }),
  },
);

const DraftStatusSchema = eventOf(
  'draft.status',
  'A draft has another status, another text or other flags, or is outdated for other reasons.',
  {
    repoId,
    rangeId,
    draftId,
    persona: { ...PersonaSchema, examples: ['customer'] },
    status: Type.Union([Type.Literal('processing'), Type.Literal('ready'), Type.Literal('failed')], {
      examples: ['ready'],
    }),
    revision: Type.Integer({ minimum: 0, examples: [1], description: 'Number of the newest text; 0 = no text yet' }),
    outdated: Type.Boolean({ examples: [false] }),
  },
);

const PublicationStatusSchema = eventOf('publication.status', 'A publication has another status.', {
  repoId,
  draftId,
  publicationId,
  channel: { ...ChannelNameSchema, examples: ['workspace_chat'] },
  status: Type.Union(
    ([...publicationStates, 'deleted'] as const).map((each) => Type.Literal(each)),
    { examples: ['completed'] },
  ),
});

const BackfillProgressSchema = eventOf('backfill.progress', 'A backfill has read more, waits, or has ended.', {
  repoId,
  backfillId,
  state: { ...BackfillStateSchema, examples: ['running'] },
  percent: Type.Integer({ minimum: 0, maximum: 100, examples: [40] }),
  counts: Type.Record(Type.String(), count(), {
    description: 'Number of items read, by kind',
    examples: [{ pulls: 120 }],
  }),
});

const DeliveryRefusedSchema = eventOf(
  'delivery.refused',
  'Webhook deliveries of a host were refused. Sent at most once per second for each reason.',
  {
    reason: Type.Union(
      reasons.map((each) => Type.Literal(each)),
      { examples: ['wrong_signature'] },
    ),
  },
);

const ResetSchema = eventOf('reset', 'Events may be missing. Read everything again.', {});

export const LiveEventSchema = Type.Union([
  RepositoryEventSchema,
  RangeCountsSchema,
  DraftStatusSchema,
  PublicationStatusSchema,
  BackfillProgressSchema,
  DeliveryRefusedSchema,
  ResetSchema,
]);
export type LiveEvent = Static<typeof LiveEventSchema>;
export type LiveEventName = LiveEvent['event'];

/** A change that the fold of a partition can cause. */
export type FoldedEvent = Exclude<LiveEvent, { event: 'delivery.refused' | 'reset' }>;

/** What changed in a partition between two announcements. */
export interface PartitionChanges {
  /** True if there may be more changes than `events` lists. */
  reset: boolean;
  events: readonly FoldedEvent[];
  /** Repositories that organizations do not have any more. Absent if there are none. */
  lost?: readonly LostRepository[];
  /** Who may miss events, if there were too many changes to list. Absent if there were not. */
  unlisted?: UnlistedChanges;
}

/** Changes of which only the repositories, and the organizations that lost repositories, are known. */
export interface UnlistedChanges {
  repoIds: readonly string[];
  orgIds: readonly string[];
}

/** A repository that was erased, or that has another owner now, and the organization that had it. */
export interface LostRepository {
  repoId: string;
  orgId: string;
}

function eventOf<Name extends string, Fields extends TObject['properties']>(
  event: Name,
  description: string,
  fields: Fields,
) {
  return Type.Object(
    { event: Type.Literal(event), data: Type.Object({ ...fields, position: Type.Optional(positionOfEvent) }) },
    { description },
  );
}
