/**
 * The shape of a draft's entries as data: the words of each line, and what is known about its changes. The fields have
 * examples, because the API returns the entries as they are.
 */
import { type Static, Type } from '@sinclair/typebox';
import { KindBySchema, ReasonSchema, SectionNameSchema } from './notes.ts';

const closed = { additionalProperties: false } as const;
const orNull = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()]);

/** Where the words of an entry come from. */
export const EntrySourceSchema = Type.Union([
  Type.Literal('note', { description: 'the release note of the pull request' }),
  Type.Literal('issue', { description: 'the title of a linked issue' }),
  Type.Literal('title', { description: 'the title of the change' }),
  Type.Literal('person', { description: 'a person who edited the draft' }),
]);
export type EntrySource = Static<typeof EntrySourceSchema>;

/** One entry of a draft: a line of a list with the changes that it is about. */
export const DraftEntrySchema = Type.Object(
  {
    marker: orNull(
      Type.String({ description: 'marker of the entry in the text; null without one', examples: ['pr:41'] }),
    ),
    heading: Type.String({
      description: 'heading above the entry, up to 300 characters; empty if there is none',
      examples: ['Features'],
    }),
    area: orNull(Type.String({ description: 'area of the entry, or several areas', examples: ['landing'] })),
    text: Type.String({
      description: 'words of the entry, without Markdown, up to 5,000 characters',
      examples: ['Land on rough ground'],
    }),
    source: EntrySourceSchema,
    numbers: Type.Array(Type.Integer(), { description: 'numbers of its pull requests and issues', examples: [[41]] }),
    shas: Type.Array(Type.String(), { description: 'hashes of its commits without a pull request', examples: [[]] }),
    kind: orNull(SectionNameSchema),
    kindBy: orNull(KindBySchema),
    reason: orNull(ReasonSchema),
  },
  closed,
);
export type DraftEntry = Static<typeof DraftEntrySchema>;
