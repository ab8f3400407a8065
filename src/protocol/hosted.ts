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
  /** What is most worth knowing, in a line of plain text; may be empty. */
  summary: Type.String(),
  /** When the version was made, in milliseconds. */
  date: Type.Integer(),
});
export type HostedPage = Static<typeof HostedPageSchema>;
