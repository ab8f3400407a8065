/**
 * The gate of a partition: no process opens its file while another one commits to it. LMDB's library, when it opens a file,
 * sets the number of the newest transaction that all processes share, from a page it read a moment before; a commit in
 * between was measured to be lost, and the pages it had written to be used twice (`docs/architecture.md` decision 10).
 * The gate is the write lock of an environment of its own that holds nothing: the system frees it when its holder dies.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { open, type RootDatabase } from 'lmdb';

/** Lets one through at a time, of all processes. */
export interface Gate {
  /** Runs a step, or a promise's whole length, while nobody else is inside; waits for that, blocking the thread. */
  through<T>(step: () => T): T;
  close(): Promise<void>;
}

interface Opened {
  root: RootDatabase;
  users: number;
}

/** By folder: two environments of one thread on the same file would wait for each other for ever. */
const opened = new Map<string, Opened>();

/** Opens the gate of a partition. */
export function openGate(dataDir: string, partition: string): Gate {
  // The owner of a render thread has the file open, and a process opens a file once for all its threads.
  if (!isMainThread) return { through: (step) => step(), close: async () => {} };
  // Beside the partitions' folders: a gate outlives a store that is deleted or replaced.
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
