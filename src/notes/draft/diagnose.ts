/**
 * Counts the changes that a draft cannot describe well: changes whose labels do not name a kind of change, and changes
 * without an area. `explain.ts` says why each change is in a range or not.
 */
import type { Diagnostics } from '../../protocol/notes.ts';
import { readLabels, type Vocabulary } from '../change/labels.ts';
import { type Entry, shipped } from './entries.ts';
import type { Notes } from './gather.ts';

/**
 * Counts the entries of a draft, and the dependency updates that it lists together. The counts are the same for every
 * persona.
 */
export function diagnose({ entries, updates, vocabulary }: Notes): Diagnostics {
  const changes = entries.length;
  const unlabelled = entries.filter((entry) => !isLabelled(entry, vocabulary)).length;
  return {
    changes,
    dependencyUpdates: updates.reduce((total, { pulls }) => total + pulls.length, 0),
    unlabelled,
    unlabelledRate: rateOf(unlabelled, changes),
    withoutArea: entries.filter(({ areas }) => areas.length === 0).length,
    undecided: entries.filter(isUndecided).length,
    mayBreak: entries.filter((entry) => entry.mayBreak).length,
  };
}

/** Adds the counts of two parts of a range that have no change in common. */
export function sumOf(one: Diagnostics, other: Diagnostics): Diagnostics {
  const changes = one.changes + other.changes;
  const unlabelled = one.unlabelled + other.unlabelled;
  return {
    changes,
    dependencyUpdates: one.dependencyUpdates + other.dependencyUpdates,
    unlabelled,
    unlabelledRate: rateOf(unlabelled, changes),
    withoutArea: one.withoutArea + other.withoutArea,
    undecided: one.undecided + other.undecided,
    mayBreak: one.mayBreak + other.mayBreak,
  };
}

function rateOf(unlabelled: number, changes: number): number {
  return changes === 0 ? 0 : Math.round((unlabelled / changes) * 1000) / 1000;
}

/** Whether no source names the kind of a change. */
export function isUndecided({ section, housekeeping }: Entry): boolean {
  return section === 'other' && !housekeeping;
}

/** Whether an entry is labeled. A backport is labeled if the backport itself or its original is labeled. */
function isLabelled(entry: Entry, vocabulary: Vocabulary): boolean {
  return [entry.record, ...shipped(entry)].some(({ labels }) => {
    const { specTypes, aliasTypes, dependencies, housekeeping } = readLabels(labels, vocabulary);
    return specTypes.size + aliasTypes.size > 0 || dependencies || housekeeping;
  });
}
