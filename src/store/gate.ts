/**
 * Provides the gate of a partition. The gate ensures that no process opens the partition's file while another process
 * commits to the file.
 *
 * When LMDB opens a file, LMDB first reads a page of the file. LMDB then copies the number of the newest transaction
 * from this page into memory that all processes share. If another process commits between these two steps, the commit
 * is lost. The pages that the lost commit has written are then used twice (measured; `docs/architecture.md` decision
 * 10).
 *
 * The gate is the write lock of a separate, empty environment. The system frees the lock when its holder dies.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { open, type RootDatabase } from 'lmdb';

/** Admits one caller at a time, across all processes. */
export interface Gate {
  /**
   * Runs `step` while no other caller is inside the gate. If `step` returns a promise, the gate stays closed to other
   * callers until the promise settles. The thread is blocked while the caller waits for its turn.
   */
  through<T>(step: () => T): T;
  close(): Promise<void>;
}

interface Opened {
  root: RootDatabase;
  users: number;
}

/**
 * The open gates of this thread, by folder. Each folder is opened only once per thread, because two LMDB environments
 * on the same file in one thread would deadlock.
 */
const opened = new Map<string, Opened>();

/**
 * Opens the gate of a partition. All users of the gate in one thread share one LMDB environment.
 * @param readOnly whether the caller only reads the partition
 */
export function openGate(dataDir: string, partition: string, readOnly: boolean): Gate {
  // A thread that only reads can open a file without a gate. A process opens a file once for all its threads, and the
  // main thread has already opened this file.
  if (!isMainThread && readOnly) return { through: (step) => step(), close: async () => {} };
  // The gates are stored outside the folders of their partitions. So a gate remains when the partition's store is
  // deleted or replaced.
  const path = join(dataDir, 'gates', partition);
  const gate = opened.get(path) ?? { root: openEmpty(path), users: 0 };
  opened.set(path, gate);
  gate.users += 1;
  return {
    through: (step) => gate.root.transactionSync(step),
    close: async () => {
      gate.users -= 1;
      if (gate.users > 0) return;
      opened.delete(path);
      await gate.root.close();
    },
  };
}

function openEmpty(path: string): RootDatabase {
  mkdirSync(path, { recursive: true });
  return open({ path, maxDbs: 1, noSubdir: false });
}
