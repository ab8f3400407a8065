/**
 * The shape of a settings preview: the difference that other notes settings would make to the drafts of the last tag
 * ranges of a repository. The fields have examples, because the API returns the preview as it is.
 */
import { type Static, Type } from '@sinclair/typebox';
import { PersonaSchema, ResolutionSchema } from './stored.ts';

const closed = { additionalProperties: false } as const;
const count = (example: number, description: string) => Type.Integer({ minimum: 0, examples: [example], description });

const exampleDiff = [
  '--- stored/engineer.md',
  '+++ given/engineer.md',
  '@@ -1,3 +1,3 @@',
  '-## Bug Fixes',
  '+## Mended',
  ' ',
  ' - No more leaks <!-- rn:pr:3 -->',
  '',
].join('\n');

/** The difference between two drafts of one range for one persona. */
export const DraftDifferenceSchema = Type.Object(
  {
    persona: PersonaSchema,
    changed: Type.Boolean({ description: 'whether the texts of the two drafts differ', examples: [true] }),
    added: count(1, 'number of lines that the diff adds'),
    removed: count(1, 'number of lines that the diff removes'),
    diff: Type.String({
      description: 'unified diff from the stored to the given settings; empty if the texts are equal',
      examples: [exampleDiff],
    }),
    truncated: Type.Boolean({
      description:
        'whether `diff` was cut, so that it shows only the first differences; `added` and `removed` count all',
      examples: [false],
    }),
    changedFlags: Type.Array(
      Type.Union([Type.Literal('highlights'), Type.Literal('contributors'), Type.Literal('upgradeInstructions')]),
      { description: 'flags of the draft that differ', examples: [[]] },
    ),
    text: Type.Optional(
      Type.String({
        description:
          'the draft under the given settings, without the lines after the first 128 KiB. Only in replies to requests with `include=text`',
      }),
    ),
  },
  closed,
);
export type DraftDifference = Static<typeof DraftDifferenceSchema>;

const tagName = (example: string, description: string) =>
  Type.Union([Type.String(), Type.Null()], { examples: [example], description });

/** One range, with the differences of its drafts. */
export const RangeDifferenceSchema = Type.Object(
  {
    fromTag: tagName('v1.0.0', 'tag at the beginning; null if the unreleased changes have no release before them'),
    toTag: tagName('v1.1.0', 'tag at the end; null for the unreleased changes'),
    prCount: count(3, 'number of pull requests in the range'),
    issueCount: count(1, 'number of issues in the range'),
    resolution: ResolutionSchema,
    personas: Type.Array(DraftDifferenceSchema),
  },
  closed,
);
export type RangeDifference = Static<typeof RangeDifferenceSchema>;

export const SettingsPreviewSchema = Type.Object({ ranges: Type.Array(RangeDifferenceSchema) }, closed);
export type SettingsPreview = Static<typeof SettingsPreviewSchema>;
