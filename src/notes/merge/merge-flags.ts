/**
 * Merges a person's edits of a draft's flags with newly generated flags. The person's values are kept. A flag that no
 * one edited gets the value of the new draft.
 */
import type { DraftFlags, FlagChanges } from '../../protocol/stored.ts';

/** Returns flags with a person's changes applied. `null` restores the generated value. */
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
 * Merges flags three ways, flag by flag.
 * @param base the flags that were generated before the person edited them
 * @param mine the person's version
 * @param next the flags that are generated now
 */
export function mergeFlags(base: DraftFlags, mine: DraftFlags, next: DraftFlags): DraftFlags {
  const isOwnText = mine.upgradeInstructions !== base.upgradeInstructions;
  return {
    highlights: mergeLists(base.highlights, mine.highlights, next.highlights),
    contributors: mergeLists(base.contributors, mine.contributors, next.contributors),
    upgradeInstructions: isOwnText ? mine.upgradeInstructions : next.upgradeInstructions,
  };
}

/** Whether two sets of flags are equal. */
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
 * Merges a list item by item. Items that the person added or reworded stay, and items that the person removed stay
 * removed. Items that the person left unchanged are dropped if the new draft no longer has them. New items are added at
 * the end. A list that no one edited is replaced by the list of the new draft.
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
