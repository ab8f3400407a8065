/**
 * Writes a draft: gathers the facts once and passes them to the requested persona, or to all personas.
 */
import type { DraftFlags, Persona, RangeBounds } from '../../protocol/stored.ts';
import type { Selection } from '../range/select.ts';
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
  return write(gather(source, bounds), persona);
}

/** Writes the drafts of a range for all personas from one gathering. Also returns the selected content of the range. */
export function composeAll(
  source: NotesSource,
  bounds: RangeBounds,
): { selection: Selection; drafts: Record<Persona, Composed> } {
  const notes = gather(source, bounds);
  const drafts = {
    engineer: write(notes, 'engineer'),
    internal: write(notes, 'internal'),
    customer: write(notes, 'customer'),
  };
  return { selection: notes.selection, drafts };
}

function write(notes: Notes, persona: Persona): Composed {
  return { bodyMd: personas[persona](notes), flags: flagsOf(notes, persona) };
}
