/**
 * Merges a person's edits of a draft's flags with newly generated ones. What the person set stands; a flag that nobody edited
 * follows the new draft.
 */
import type { DraftFlags, FlagChanges } from '../../protocol/stored.ts';

/** Flags with a person's changes; `null` gives the generated value back. */
export function editFlags(flags: DraftFlags, generated: DraftFlags, changes: FlagChanges): DraftFlags {
  return {
    highlights: listOf(changes.highlights, flags.highlights, generated.highlights),
    contributors: listOf(changes.contributors, flags.contributors, generated.contributors),
    upgradeInstructions:
      changes.upgradeInstructions === null
        ? generated.upgradeInstructions
        : (changes.upgradeInstructions ?? flags.upgradeInstructions),
  };
}

/**
 * Three-way merge, flag by flag.
 * @param base what was generated before the person edited it
 * @param mine what the person made of it
 * @param next what is generated now
 */
export function mergeFlags(base: DraftFlags, mine: DraftFlags, next: DraftFlags): DraftFlags {
  const isOwnText = mine.upgradeInstructions !== base.upgradeInstructions;
  return {
    highlights: mergeLists(base.highlights, mine.highlights, next.highlights),
    contributors: mergeLists(base.contributors, mine.contributors, next.contributors),
    upgradeInstructions: isOwnText ? mine.upgradeInstructions : next.upgradeInstructions,
  };
}

/** Whether two flags say the same. */
export function isSameFlags(one: DraftFlags, other: DraftFlags): boolean {
  return (
    one.upgradeInstructions === other.upgradeInstructions &&
    isSameList(one.highlights, other.highlights) &&
    isSameList(one.contributors, other.contributors)
  );
}

function listOf(change: string[] | null | undefined, current: string[], generated: string[]): string[] {
  if (change === undefined) return current;
  return change === null ? generated : [...new Set(change)];
}

/**
 * Item by item: what the person added or reworded stays, what they took out stays out, what they left goes when the new draft
 * no longer has it, and what is new comes last. A list that nobody edited is the new one.
 */
function mergeLists(base: string[], mine: string[], next: string[]): string[] {
  if (isSameList(base, mine)) return next;
  const [inBase, inMine, inNext] = [new Set(base), new Set(mine), new Set(next)];
  const kept = mine.filter((item) => !inBase.has(item) || inNext.has(item));
  return [...kept, ...next.filter((item) => !inBase.has(item) && !inMine.has(item))];
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index]);
}
