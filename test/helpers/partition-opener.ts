/**
 * Runs a separate process that repeatedly opens a partition for reading, reads it and closes it, until the process is
 * killed. The process reports each repetition.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { openReadOnly } from '../../src/store/partition.ts';
import { readTime } from '../../src/store/tables/meta.ts';

/** Starts the process. `onOpened` is called each time that the process has opened and read the partition. */
export function keepOpening(dataDir: string, name: string, onOpened: () => void): ChildProcess {
  const child = fork(fileURLToPath(import.meta.url), ['open', dataDir, name]);
  child.on('message', onOpened);
  return child;
}

async function openAgainAndAgain(dataDir: string, name: string): Promise<void> {
  while (process.connected) {
    const partition = openReadOnly(dataDir, name);
    if (partition) readTime(partition);
    await partition?.close();
    process.send?.('opened');
  }
}

if (process.argv[2] === 'open') await openAgainAndAgain(process.argv[3] as string, process.argv[4] as string);
