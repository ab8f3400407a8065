/**
 * Counts what keeps a draft from saying more: changes that no label tells the kind of, and changes without an area. Why each
 * change is in a range or not is the matter of `explain.ts`.
 */
import type { Diagnostics } from '../../protocol/notes.ts';
import { readLabels, type Vocabulary } from '../change/labels.ts';
import { type Entry, shipped } from './entries.ts';
import type { Notes } from './gather.ts';

/** Counts over the entries of a draft, which are the same for every persona. */
export function diagnose({ entries, vocabulary }: Notes): Diagnostics {
  const changes = entries.length;
  const unlabelled = entries.filter((entry) => !isLabelled(entry, vocabulary)).length;
  return {
    changes,
    unlabelled,
    unlabelledRate: changes === 0 ? 0 : Math.round((unlabelled / changes) * 1000) / 1000,
    withoutArea: entries.filter(({ areas }) => areas.length === 0).length,
  };
}

/** A backport is labelled where it or what it carries is. */
function isLabelled(entry: Entry, vocabulary: Vocabulary): boolean {
  return [entry.pull, ...shipped(entry)].some(({ labels }) => {
    const { specTypes, aliasTypes, dependencies, housekeeping } = readLabels(labels, vocabulary);
    return specTypes.size + aliasTypes.size > 0 || dependencies || housekeeping;
  });
}
