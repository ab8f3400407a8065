/**
 * The due task: counts the records that a sweep would erase. Its counts are used for dry runs, and to decide whether an
 * organization may be erased without an approval. The task changes nothing.
 */
import type { Due, RecordCounts, RepositoryCounts } from '../../src/protocol/retention.ts';
import type { DueTask } from '../../src/protocol/tasks.ts';
import { countRepository } from '../../src/store/erasing/repository.ts';
import { countStale } from '../../src/store/erasing/stale.ts';
import type { Partition } from '../../src/store/partition.ts';
import { countPages } from '../../src/store/tables/hosted-notes.ts';
import { readRepository } from '../../src/store/tables/repositories.ts';
import { noCounts, totalRecords } from '../../src/store/tables/retention.ts';
import { type IndexKey, indexedBefore, isStale } from '../../src/store/tables/syncs.ts';

const rowsPerRead = 1000;

/**
 * Counts records per repository. `stale` contains each repository with stale records, and counts only the records that
 * were last synced before the day `before`. `whole` contains the repositories in the task, and counts all their
 * records.
 */
export function countDue(partition: Partition, { before, repositories }: DueTask): Due {
  const named = (repoId: string, counts: RecordCounts): RepositoryCounts => {
    return { repoId, fullName: readRepository(partition, repoId)?.fullName ?? '', counts };
  };
  return {
    stale: [...countStaleOnes(partition, before)].map(([repoId, counts]) => named(repoId, counts)),
    whole: repositories.map((repoId) => ({
      ...named(repoId, countRepository(partition, repoId)),
      hostedNotes: countPages(partition, repoId),
    })),
    total: totalRecords(partition),
  };
}

function countStaleOnes(partition: Partition, before: number): Map<string, RecordCounts> {
  const byRepository = new Map<string, RecordCounts>();
  let last: IndexKey | null = null;
  for (;;) {
    const rows: IndexKey[] = indexedBefore(partition, before, last, rowsPerRead);
    for (const [, ...key] of rows) {
      if (!isStale(partition, key, before)) continue;
      const sum = byRepository.get(key[0]) ?? noCounts();
      byRepository.set(key[0], sum);
      const found = countStale(partition, key, before);
      for (const kind of Object.keys(sum) as (keyof RecordCounts)[]) sum[kind] += found[kind];
    }
    if (rows.length < rowsPerRead) return byRepository;
    last = rows[rows.length - 1] as IndexKey;
  }
}
