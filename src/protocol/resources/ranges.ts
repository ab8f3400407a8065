/**
 * Requests, replies and contracts of the operations on release ranges and their changes. `store/` makes the
 * bodies of replies.
 */
import { type Static, Type } from '@sinclair/typebox';
import { ChangeSchema, DiagnosticsSchema } from '../notes.ts';
import { AssumedSchema, RangeTypeSchema, ResolutionSchema } from '../stored.ts';
import type { Contracts } from './contract.ts';
import { closed, count, rangeId, repoId, text, time } from './fields.ts';
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
const pullNumber = Type.Integer({ minimum: 1, maximum: 2_147_483_647 });

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
};
export type CreateRangeBody = Static<(typeof CreateRangeBodySchemas)[keyof typeof CreateRangeBodySchemas]>;

const bounds = {
  fromTag: Type.Optional(text('v1.0.0')),
  toTag: Type.Optional(text('v1.1.0')),
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

const ranges = Object.values(CreateRangeBodySchemas);
const schema = (name: string) => `#/components/schemas/${name}`;

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
    summary: 'Create a release range between two tags, days or pull request numbers',
    example: {
      type: 'TAG_BASED',
      repoId: 'repo_mty60gmc8bsf7n553j66tq8t971m',
      fromTag: 'v1.0.0',
      toTag: 'v1.1.0',
    },
    body: Type.Union(ranges, {
      discriminator: {
        propertyName: 'type',
        mapping: {
          TAG_BASED: schema('TagRange'),
          DATE_BASED: schema('DateRange'),
          PR_BASED: schema('PullRequestRange'),
        },
      },
    }),
    replies: { 201: RangeSchema },
    refusals: [404],
  },
  listRangeChanges: {
    tag: 'Ranges',
    summary: 'List the changes that were considered for a range, and why each is included or not',
    replies: { 200: listOf('changes', ChangeReplySchema, { diagnostics: DiagnosticsSchema }) },
  },
} satisfies Contracts;
