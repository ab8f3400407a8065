/**
 * The shape of a note on a page of this service. The channel `hosted` makes the note from a draft, the journal carries
 * it, and the gateway inserts it into a page.
 */
import { type Static, Type } from '@sinclair/typebox';
import { PersonaSchema } from './stored.ts';

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
  /** Time of the version, in milliseconds, for example the date of its tag. */
  date: Type.Integer(),
});
export type HostedPage = Static<typeof HostedPageSchema>;
