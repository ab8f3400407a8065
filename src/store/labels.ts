/**
 * Renamed and deleted labels of a repository. No event comes for each issue that carries one, so what is stored keeps the
 * label it had, and reading maps it.
 */
import type { Partition } from './partition.ts';

/** A label that was renamed, or deleted (`to` null), at a time. */
export interface LabelChange {
  from: string;
  to: string | null;
  seenAt: number;
}

export function writeLabelChange(partition: Partition, repoId: string, { from, to, seenAt }: LabelChange): void {
  partition.tables.labelChanges.putSync([repoId, seenAt, from], { from, to, seenAt });
}

/** All changes, oldest first. */
export function listLabelChanges(partition: Partition, repoId: string): LabelChange[] {
  const rows = partition.tables.labelChanges.getRange({ start: [repoId], end: [repoId, Number.MAX_VALUE] });
  return [...rows].map((row) => row.value as LabelChange);
}

/** Labels as they are called now, of which a record knew the names at `knownAt`. */
export function currentLabels(labels: readonly string[], knownAt: number, changes: readonly LabelChange[]): string[] {
  let current = [...labels];
  for (const { from, to, seenAt } of changes) {
    if (seenAt < knownAt || !current.includes(from)) continue;
    current = current.flatMap((label) => (label !== from ? label : to === null || current.includes(to) ? [] : to));
  }
  return current;
}
