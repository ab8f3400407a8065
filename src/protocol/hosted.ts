/**
 * The shape of a note on a page of this service. The channel `hosted` makes the note from a draft, the journal carries
 * it, and the gateway inserts it into a page.
 */
import { type Static, Type } from '@sinclair/typebox';
import { PersonaSchema } from './stored.ts';

/** What kinds of changes a note contains, in the order in which they are shown. */
export const noteMarks = ['breaking', 'security', 'new', 'improved', 'fixed'] as const;
export type NoteMark = (typeof noteMarks)[number];

export const HostedPageSchema = Type.Object({
  version: Type.String(),
  persona: PersonaSchema,
  /** Safe HTML, with link addresses as its only attributes. Headings begin at the second level. */
  html: Type.String(),
  /** One line of plain text from the note. The line may be empty. */
  excerpt: Type.Optional(Type.String()),
  /**
   * Earlier versions of Tidings made this summary from the draft's flags and stored it. The summary is never shown,
   * because an editor may have removed its content from the note.
   */
  summary: Type.Optional(Type.String()),
  /** Kinds of changes that headings of the note name. Absent if there are none, and in records of earlier versions. */
  marks: Type.Optional(Type.Array(Type.Union(noteMarks.map((mark) => Type.Literal(mark))))),
  /** Time of the version, in milliseconds, for example the date of its tag. */
  date: Type.Integer(),
});
export type HostedPage = Static<typeof HostedPageSchema>;
