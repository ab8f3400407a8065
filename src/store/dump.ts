/**
 * Dumps the captured data of one repository as text: one line of JSON per record, with kinds, records and fields in a
 * fixed order. The dump contains only data from the host, without the time or order of arrival. So two stores that
 * received the same data have the same dump, even if the data arrived in different orders.
 */
import type { Partition } from './partition.ts';
import type { DumpedTables } from './table-registry.ts';
import { readRepository } from './tables/repositories.ts';

/**
 * Fields that record the order of arrival or count local changes. They are not data of the repository, so the dump
 * omits them.
 */
const bookkeeping: ReadonlySet<string> = new Set([
  'rank',
  'labelsAt',
  'stateAt',
  'reactionsAt',
  'seenAt',
  'lastEventAt',
  'revision',
  'pushes',
  'backfilled',
]);

/** Maps each kind of captured record to its table, in the order of the dump. The table registry defines the kinds. */
const captured = {
  pull: 'pulls',
  issue: 'issues',
  removedIssue: 'removedIssues',
  comment: 'comments',
  tag: 'tags',
  commit: 'commits',
  push: 'pushes',
  label: 'labelChanges',
} as const satisfies DumpedTables;

/**
 * Yields the lines of a repository's dump, each with its line break. Yields nothing if the partition does not have the
 * repository.
 */
export function* dumpRepository(partition: Partition, repoId: string): Generator<string> {
  const repository = readRepository(partition, repoId);
  if (!repository) return;
  const { createdAt: _, formerNames, ...fields } = repository;
  yield line('repository', { ...fields, formerNames: [...formerNames].sort() });
  for (const [kind, table] of Object.entries(captured)) {
    const rows = partition.tables[table].getRange({ start: [repoId], end: [repoId, '\u{10ffff}'], snapshot: true });
    for (const { key, value } of rows) yield line(kind, toFields(kind, key, value));
  }
}

/**
 * Returns the fields of a row. The row of a removed issue has no fields, so its issue number is read from the row's
 * key.
 */
function toFields(kind: string, key: readonly unknown[], value: unknown): object {
  return kind === 'removedIssue' ? { number: key[1] } : (value as object);
}

/** Formats one line. The kind of the record is in the field `record`, because comments already have a field `kind`. */
function line(record: string, fields: object): string {
  return `${JSON.stringify({ record, ...(canonical(fields) as object) })}\n`;
}

/**
 * Returns a copy of the value in which the fields of every object are sorted by name. Bookkeeping fields are left out.
 */
function canonical(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(canonical);
  const fields = Object.entries(value).filter(([name, held]) => !bookkeeping.has(name) && held !== undefined);
  return Object.fromEntries(fields.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, held]) => [name, canonical(held)]));
}
