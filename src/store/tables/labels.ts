/**
 * Renamed and deleted labels of a repository. When a label changes, the host sends no event for the issues and pull
 * requests that have the label. So stored records keep the old name. When a record is read, its old names are mapped to
 * the new names.
 */
import type { Partition } from '../partition.ts';

/**
 * A change of a label, and the time of the change. `from` is the old name and `to` is the new name. If the label was
 * deleted, `to` is null. `id` is the host's number of the label.
 */
export interface LabelChange {
  id?: string;
  from: string;
  to: string | null;
  seenAt: number;
}

export function writeLabelChange(partition: Partition, repoId: string, { id, from, to, seenAt }: LabelChange): void {
  partition.tables.labelChanges.putSync([repoId, seenAt, from], { ...(id !== undefined && { id }), from, to, seenAt });
}

/**
 * Returns all label changes of a repository in the order of arrival. If the changes of one label arrived out of order,
 * `inOrder` sorts them.
 */
export function listLabelChanges(partition: Partition, repoId: string): LabelChange[] {
  const rows = partition.tables.labelChanges.getRange({ start: [repoId], end: [repoId, Number.MAX_VALUE] });
  return inOrder([...rows].map((row) => row.value as LabelChange));
}

/**
 * Sorts the changes of each label. Label events contain no time, so only the names show that an event arrived late. In
 * the right order, the old name of each change is the new name of the previous change. Only the names are sorted: the
 * times of arrival stay at their positions. Example: `b` → `c` arrives at time 1 and `a` → `b` arrives at time 2. The
 * result is `a` → `b` with time 1 and `b` → `c` with time 2.
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

/**
 * Sorts the changes of one label so that the old name of each change is the new name of the previous change. If the
 * changes form no such chain, returns them in the order of arrival.
 */
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

/**
 * Returns the current names of a record's labels. The names in `labels` were correct at time `knownAt`, so only later
 * changes are applied.
 */
export function currentLabels(labels: readonly string[], knownAt: number, changes: readonly LabelChange[]): string[] {
  let current = [...labels];
  for (const { from, to, seenAt } of changes) {
    if (seenAt < knownAt || !current.includes(from)) continue;
    current = current.flatMap((label) => (label !== from ? label : to === null || current.includes(to) ? [] : to));
  }
  return current;
}
