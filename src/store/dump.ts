/**
 * What is captured of one repository as text: a line of JSON a record, kinds, records and fields in a fixed order. Only what
 * the host told is in it, not when or in which order it arrived, so that two stores that know the same give the same bytes.
 */
import type { Partition, TableName } from './partition.ts';
import { readRepository } from './tables/repositories.ts';

/** Fields that order what arrives or count what was done here; they say nothing of the repository. */
const bookkeeping: ReadonlySet<string> = new Set([
  'rank',
  'labelsAt',
  'stateAt',
  'seenAt',
  'revision',
  'pushes',
  'backfilled',
]);

/** The tables of a repository's captured records, each keyed by the repository's id first. */
const captured = {
  pull: 'pulls',
  issue: 'issues',
  removedIssue: 'removedIssues',
  comment: 'comments',
  tag: 'tags',
  commit: 'commits',
  push: 'pushes',
  label: 'labelChanges',
} as const satisfies Record<string, TableName>;

/** The lines of a repository, each with its end; none when the partition does not hold it. */
export function* dumpRepository(partition: Partition, repoId: string): Generator<string> {
  const repository = readRepository(partition, repoId);
  if (!repository) return;
  const { createdAt: _, formerNames, ...told } = repository;
  yield line('repository', { ...told, formerNames: [...formerNames].sort() });
  for (const [kind, table] of Object.entries(captured)) {
    const rows = partition.tables[table].getRange({ start: [repoId], end: [repoId, '\u{10ffff}'], snapshot: true });
    for (const { key, value } of rows) yield line(kind, toFields(kind, key, value));
  }
}

/** An issue that was removed is a row without fields: its number stands in the key. */
function toFields(kind: string, key: readonly unknown[], value: unknown): object {
  return kind === 'removedIssue' ? { number: key[1] } : (value as object);
}

/** What a record is goes under a name that no record has for itself: a comment has a kind of its own. */
function line(record: string, fields: object): string {
  return `${JSON.stringify({ record, ...(canonical(fields) as object) })}\n`;
}

/** The same value with the fields of every object in the order of their names. */
function canonical(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(canonical);
  const fields = Object.entries(value).filter(([name, held]) => !bookkeeping.has(name) && held !== undefined);
  return Object.fromEntries(fields.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, held]) => [name, canonical(held)]));
}
