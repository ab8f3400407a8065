/**
 * Renamed and deleted labels of a repository. No event comes for each issue that carries one, so what is stored keeps the
 * label it had, and reading maps it.
 */
import type { Partition } from '../partition.ts';

/** A label that was renamed, or deleted (`to` null), at a time; `id` is the host's number of it. */
export interface LabelChange {
  id?: string;
  from: string;
  to: string | null;
  seenAt: number;
}

export function writeLabelChange(partition: Partition, repoId: string, { id, from, to, seenAt }: LabelChange): void {
  partition.tables.labelChanges.putSync([repoId, seenAt, from], { ...(id !== undefined && { id }), from, to, seenAt });
}

/** All changes, oldest first: by the time they came, but those of one label by what each begins with. */
export function listLabelChanges(partition: Partition, repoId: string): LabelChange[] {
  const rows = partition.tables.labelChanges.getRange({ start: [repoId], end: [repoId, Number.MAX_VALUE] });
  return inOrder([...rows].map((row) => row.value as LabelChange));
}

/**
 * No event of a label has a time, so one that comes late can only be told by its names: what a label was called before must
 * be what the change before called it. Each takes the place, and the time, of the one that came when it should have.
 */
function inOrder(changes: readonly LabelChange[]): LabelChange[] {
  const ordered = [...changes];
  const places = new Map<string, number[]>();
  for (const [i, { id }] of changes.entries()) if (id !== undefined) places.set(id, [...(places.get(id) ?? []), i]);
  for (const own of places.values()) {
    const chain = toChain(own.map((i) => changes[i] as LabelChange));
    for (const [nth, i] of own.entries()) {
      ordered[i] = { ...(chain[nth] as LabelChange), seenAt: (changes[i] as LabelChange).seenAt };
    }
  }
  return ordered;
}

/** The changes of one label so that each begins with the name that the one before gave; as they came when they form no chain. */
function toChain(came: readonly LabelChange[]): readonly LabelChange[] {
  const given = new Set(came.map(({ to }) => to));
  const left = [...came];
  const chain: LabelChange[] = [];
  const firsts = left.filter(({ from }) => !given.has(from));
  let next = firsts.length === 1 ? firsts[0] : undefined;
  while (next) {
    chain.push(next);
    left.splice(left.indexOf(next), 1);
    const { to } = next;
    next = left.find(({ from }) => from === to);
  }
  return left.length === 0 ? chain : came;
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
