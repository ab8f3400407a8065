/**
 * A note on a page of this service: what the channel `hosted` makes of a draft, which the journal carries and the gateway puts
 * into a page.
 */
import { type Static, Type } from '@sinclair/typebox';
import { PersonaSchema } from './stored.ts';

export const HostedPageSchema = Type.Object({
  version: Type.String(),
  persona: PersonaSchema,
  /** Safe HTML, without attributes but addresses of links; headings from the second level on. */
  html: Type.String(),
  /** A line of plain text made of the note's own words; may be empty. */
  excerpt: Type.Optional(Type.String()),
  /** Stored by earlier versions, which made it of the draft's flags. Shown nowhere: the note may not hold it. */
  summary: Type.Optional(Type.String()),
  /** When the version was made, in milliseconds. */
  date: Type.Integer(),
});
export type HostedPage = Static<typeof HostedPageSchema>;
