/**
 * Requests, replies and contracts of the operations on release ranges and their changes. `store/` makes the
 * bodies of replies.
 */
import { type Static, Type } from '@sinclair/typebox';
import { maxNumber } from '../limits.ts';
import { ChangeSchema, DiagnosticsSchema, SuggestedVersionSchema } from '../notes.ts';
import { AssumedSchema, RangeTypeSchema, ResolutionSchema } from '../stored.ts';
import type { Contracts } from './contract.ts';
import { closed, count, orNull, rangeId, repoId, text, time } from './fields.ts';
import { listOf, paging } from './paging.ts';

const anyRepoId = Type.String({ minLength: 1 });
const tag = Type.String({ minLength: 1, maxLength: 255 });
const date = Type.String({ format: 'date' });
const zone = Type.String({
  format: 'time-zone',
  maxLength: 64,
  description: 'IANA time zone of the days; default UTC',
  examples: ['Europe/Berlin'],
});
const branch = Type.String({
  minLength: 1,
  maxLength: 255,
  description: 'branch to follow; default: the default branch',
});
const tagPattern = Type.String({
  minLength: 1,
  maxLength: 255,
  description: 'which tags are releases: `*` matches any text and `?` matches one character; default: all tags',
  examples: ['pkg@*'],
});
const prereleases = 'whether prereleases count as releases; default false';
const pullNumber = Type.Integer({ minimum: 1, maximum: maxNumber });

export const ListRangesQuerySchema = Type.Object({ repoId: anyRepoId, ...paging }, closed);
export type ListRangesQuery = Static<typeof ListRangesQuerySchema>;

export const ListChangesQuerySchema = Type.Object(
  {
    limit: paging.limit,
    offset: paging.offset,
    included: Type.Optional(Type.Union([Type.Literal('true'), Type.Literal('false')])),
  },
  closed,
);
export type ListChangesQuery = Static<typeof ListChangesQuerySchema>;

/** Bodies of Create Release Range, one per type of range. */
export const CreateRangeBodySchemas = {
  TAG_BASED: Type.Object({ type: Type.Literal('TAG_BASED'), repoId: anyRepoId, fromTag: tag, toTag: tag }, closed),
  DATE_BASED: Type.Object(
    {
      type: Type.Literal('DATE_BASED'),
      repoId: anyRepoId,
      fromDate: date,
      toDate: date,
      timeZone: Type.Optional(zone),
    },
    closed,
  ),
  PR_BASED: Type.Object(
    { type: Type.Literal('PR_BASED'), repoId: anyRepoId, fromPrNumber: pullNumber, toPrNumber: pullNumber },
    closed,
  ),
  FIRST_RELEASE: Type.Object({ type: Type.Literal('FIRST_RELEASE'), repoId: anyRepoId, toTag: tag }, closed),
  UNRELEASED: Type.Object(
    {
      type: Type.Literal('UNRELEASED'),
      repoId: anyRepoId,
      branch: Type.Optional(branch),
      tagPattern: Type.Optional(tagPattern),
      prereleases: Type.Optional(Type.Boolean({ description: prereleases })),
    },
    closed,
  ),
};
export type CreateRangeBody = Static<(typeof CreateRangeBodySchemas)[keyof typeof CreateRangeBodySchemas]>;

/** Query of Get Unreleased. */
export const UnreleasedQuerySchema = Type.Object(
  {
    branch: Type.Optional(branch),
    tagPattern: Type.Optional(tagPattern),
    prereleases: Type.Optional(Type.Union([Type.Literal('true'), Type.Literal('false')], { description: prereleases })),
    ...ListChangesQuerySchema.properties,
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 100 })),
  },
  closed,
);
export type UnreleasedQuery = Static<typeof UnreleasedQuerySchema>;

const bounds = {
  fromTag: Type.Optional(orNull(text('v1.0.0', 'null for a range that begins with the history'))),
  toTag: Type.Optional(orNull(text('v1.1.0', 'null for an unreleased range'))),
  branch: Type.Optional(orNull(text('main', 'branch that an unreleased range follows'))),
  head: Type.Optional(orNull(text('c41', 'commit at the end of an unreleased range; null until a push is captured'))),
  tagPattern: Type.Optional(text('pkg@*', 'the tags that are releases, if the request named a pattern')),
  prereleases: Type.Optional(Type.Boolean({ description: prereleases })),
  fromDate: Type.Optional(date),
  toDate: Type.Optional(date),
  fromPrNumber: Type.Optional(Type.Integer()),
  toPrNumber: Type.Optional(Type.Integer()),
  timeZone: Type.Optional(text('Europe/Berlin', 'time zone of the dates, if the request named one')),
};

export const RangeSchema = Type.Object(
  {
    id: rangeId,
    repoId,
    type: RangeTypeSchema,
    ...bounds,
    compareUrl: Type.Optional(
      text('https://github.com/acme/rocket/compare/v1.0.0...v1.1.0', 'address of the comparison of the two tags'),
    ),
    prCount: count(),
    issueCount: count(),
    resolution: ResolutionSchema,
    assumed: AssumedSchema,
    createdAt: time,
    updatedAt: time,
  },
  closed,
);

export const ChangeReplySchema = Type.Object(
  {
    ...ChangeSchema.properties,
    number: Type.Optional(Type.Integer({ description: 'number of the pull request or issue', examples: [41] })),
    title: text('Land on rough ground', 'title, or first line of the commit message, as captured'),
  },
  closed,
);

const firstChanges = 'the first changes, at most 100, and why each is included or not';
const total = Type.Integer({ minimum: 0, examples: [1], description: 'number of all changes' });

export const RangePreviewSchema = Type.Object(
  {
    repoId,
    type: RangeTypeSchema,
    ...bounds,
    compareUrl: RangeSchema.properties.compareUrl,
    prCount: count(),
    issueCount: count(),
    commitCount: count(),
    resolution: ResolutionSchema,
    assumed: AssumedSchema,
    suggestedVersion: SuggestedVersionSchema,
    changes: Type.Array(ChangeReplySchema, { description: firstChanges }),
    total,
    diagnostics: DiagnosticsSchema,
  },
  closed,
);

export const UnreleasedSchema = Type.Object(
  {
    rangeId: orNull(
      Type.String({
        description:
          'range that follows the branch, for drafts; null if there is none yet and the key may not create ranges',
        examples: ['range_mty60gmc8bsf7n553j66tq8t971m_01jb2v7d9p'],
      }),
    ),
    repoId,
    branch: orNull(text('main')),
    head: orNull(text('c41', 'newest commit of the branch; null until a push is captured')),
    since: orNull(
      Type.Object(
        {
          tag: text('v1.0.0'),
          sha: orNull(text('c12', 'hash of the commit')),
          date: time,
        },
        { ...closed, description: 'newest release on the branch; null before the first release' },
      ),
    ),
    compareUrl: RangeSchema.properties.compareUrl,
    counts: Type.Object({ pulls: count(), issues: count(), commits: count() }, closed),
    resolution: ResolutionSchema,
    assumed: AssumedSchema,
    suggestedVersion: SuggestedVersionSchema,
    changes: Type.Array(ChangeReplySchema),
    total,
    diagnostics: DiagnosticsSchema,
  },
  closed,
);

const ranges = Object.values(CreateRangeBodySchemas);
const schema = (name: string) => `#/components/schemas/${name}`;

const createRangeBody = Type.Union(ranges, {
  discriminator: {
    propertyName: 'type',
    mapping: {
      TAG_BASED: schema('TagRange'),
      DATE_BASED: schema('DateRange'),
      PR_BASED: schema('PullRequestRange'),
      FIRST_RELEASE: schema('FirstReleaseRange'),
      UNRELEASED: schema('UnreleasedRange'),
    },
  },
});

export const rangeContracts = {
  listRanges: {
    tag: 'Ranges',
    summary: 'List the release ranges of a repository',
    replies: { 200: listOf('ranges', RangeSchema) },
    refusals: [404],
  },
  getRange: { tag: 'Ranges', summary: 'Get a release range', replies: { 200: RangeSchema } },
  createRange: {
    tag: 'Ranges',
    summary:
      'Create a release range: between two tags, days or pull request numbers, up to the first release, or what is not released yet',
    example: {
      type: 'TAG_BASED',
      repoId: 'repo_mty60gmc8bsf7n553j66tq8t971m',
      fromTag: 'v1.0.0',
      toTag: 'v1.1.0',
    },
    body: createRangeBody,
    replies: {
      200: RangeSchema,
      201: RangeSchema,
    },
    refusals: [404],
  },
  previewRange: {
    tag: 'Ranges',
    summary: 'Show what a release range would contain; nothing is written',
    example: { type: 'UNRELEASED', repoId: 'repo_mty60gmc8bsf7n553j66tq8t971m' },
    body: createRangeBody,
    replies: { 200: RangePreviewSchema },
    refusals: [404],
  },
  getUnreleased: {
    tag: 'Ranges',
    summary: 'Get what was merged to a branch since its newest release, and a version for the next release',
    replies: { 200: UnreleasedSchema },
    refusals: [400],
  },
  listRangeChanges: {
    tag: 'Ranges',
    summary: 'List the changes that were considered for a range, and why each is included or not',
    replies: { 200: listOf('changes', ChangeReplySchema, { diagnostics: DiagnosticsSchema }) },
  },
} satisfies Contracts;
