/**
 * `tidings snapshot` takes a snapshot of every partition now and verifies it. `tidings restore` restores a partition
 * from its newest snapshot.
 */
import { loadSettings } from '../../config/load.ts';
import { partitionNames } from '../foundation/partition-names.ts';
import { ask } from '../journal/query.ts';
import { takeLock } from '../store/lock.ts';
import { listSnapshots, restoreSnapshot, type Snapshot, verifySnapshot } from '../store/snapshot.ts';
import { withService } from './connection.ts';
import { printLines } from './print.ts';
import type { restoreEntry, snapshotEntry } from './table/operation.ts';
import { type Run, UsageError } from './usage.ts';

export const runSnapshot: Run<typeof snapshotEntry> = () =>
  withService(async (context) => {
    for (const name of partitionNames(context.settings.partitions)) {
      const { folder, seq } = await ask<{ task: 'snapshot' }, Snapshot>(context.journal, name, { task: 'snapshot' });
      printLines([`${name}: ${folder}, sequence ${seq}`]);
    }
    return 0;
  });

export const runRestore: Run<typeof restoreEntry> = async (_, [wanted = '']) => {
  const { dataDir, partitions } = loadSettings();
  const names = partitionNames(partitions);
  if (wanted !== 'all' && !names.includes(wanted)) {
    throw new UsageError(`Expected the name of a partition (${names.join(', ')}) or all`);
  }
  for (const name of wanted === 'all' ? names : [wanted]) await restore(dataDir, name);
  return 0;
};

async function restore(dataDir: string, name: string): Promise<void> {
  const lock = await takeLock(dataDir, name);
  try {
    const snapshot = listSnapshots(dataDir, name).at(-1);
    if (!snapshot) {
      printLines([`${name}: no snapshot`]);
      return;
    }
    await verifySnapshot(name, snapshot.folder);
    const generation = await restoreSnapshot(dataDir, name, snapshot);
    printLines([`${name}: generation ${generation} from sequence ${snapshot.seq}`]);
  } finally {
    await lock.release();
  }
}
