/**
 * Writes a draft: gathers the facts once and passes them to the requested persona, or to all personas.
 */
import { markedIn } from '../../foundation/markers.ts';
import type { AbsentChange } from '../../protocol/conflicts.ts';
import type { DraftFacts } from '../../protocol/outdated.ts';
import type { DraftFlags, Persona, RangeBounds } from '../../protocol/stored.ts';
import type { NotesSource } from '../range/source.ts';
import { absentChanges } from './absent.ts';
import { factsOf } from './facts.ts';
import { flagsOf } from './flags.ts';
import { gather, type Notes } from './gather.ts';
import { customer } from './personas/customer.ts';
import { engineer } from './personas/engineer.ts';
import { internal } from './personas/internal.ts';

/** A draft's text and flags, and why the text does not contain some changes. */
export interface Composed {
  bodyMd: string;
  flags: DraftFlags;
  absent: AbsentChange[];
}

/** Returns ids of changes whose absence from a new text needs a reason. */
type Named = (bodyMd: string) => Iterable<string>;

const nothing: Named = () => [];

const personas: Record<Persona, (notes: Notes) => string> = { engineer, internal, customer };

/**
 * Writes the draft of a range for a persona. The same records and bounds always give the same bytes (spec part 1).
 * @param named returns ids of changes that the earlier draft or an edit of it names, from the new text. For those that
 *   the new text does not contain, the result has the reasons
 */
export function compose(source: NotesSource, bounds: RangeBounds, persona: Persona, named: Named = nothing): Composed {
  return write(gather(source, bounds), persona, named);
}

/** Writes the draft of a range for a persona, and notes what it was generated from. */
export function composeWithFacts(
  source: NotesSource,
  bounds: RangeBounds,
  persona: Persona,
  named: Named,
): Composed & { facts: DraftFacts } {
  const notes = gather(source, bounds);
  const composed = write(notes, persona, named);
  return { ...composed, facts: factsOf(notes, markedIn(composed.bodyMd)) };
}

/** Writes only the text of a draft from gathered facts. */
export function textOf(notes: Notes, persona: Persona): string {
  return personas[persona](notes);
}

/** Writes the drafts of a range for all personas from one gathering. Also returns the gathered facts. */
export function composeAll(
  source: NotesSource,
  bounds: RangeBounds,
): { notes: Notes; drafts: Record<Persona, Composed> } {
  const notes = gather(source, bounds);
  const drafts = {
    engineer: write(notes, 'engineer'),
    internal: write(notes, 'internal'),
    customer: write(notes, 'customer'),
  };
  return { notes, drafts };
}

function write(notes: Notes, persona: Persona, named: Named = nothing): Composed {
  const bodyMd = textOf(notes, persona);
  return { bodyMd, flags: flagsOf(notes, persona), absent: absentChanges(notes, bodyMd, named(bodyMd)) };
}
