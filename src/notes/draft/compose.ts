/**
 * Writes a draft: gathers the facts once and passes them to the requested persona.
 */
import type { DraftFlags, Persona, RangeBounds } from '../../protocol/stored.ts';
import type { NotesSource } from '../range/source.ts';
import { flagsOf } from './flags.ts';
import { gather, type Notes } from './gather.ts';
import { customer } from './personas/customer.ts';
import { engineer } from './personas/engineer.ts';
import { internal } from './personas/internal.ts';

/** A draft's text and flags. */
export interface Composed {
  bodyMd: string;
  flags: DraftFlags;
}

const personas: Record<Persona, (notes: Notes) => string> = { engineer, internal, customer };

/** Writes the draft of a range for a persona. The same records and bounds always give the same bytes (spec part 1). */
export function compose(source: NotesSource, bounds: RangeBounds, persona: Persona): Composed {
  const notes = gather(source, bounds);
  return { bodyMd: personas[persona](notes), flags: flagsOf(notes, persona) };
}
