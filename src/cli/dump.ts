/**
 * `tidings dump REPO`: prints everything that the store contains about a repository, one JSON record per line. The
 * service need not be running.
 */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { loadSettings } from '../../config/load.ts';
import { partitionOfRepository } from '../foundation/partition-names.ts';
import { terminalText } from '../foundation/visible-text.ts';
import { dumpRepository } from '../store/dump.ts';
import { Readers } from '../store/readers.ts';
import { findRepository } from './repository.ts';
import type { dumpEntry } from './table/operation.ts';
import type { Run } from './usage.ts';

export const runDump: Run<typeof dumpEntry> = async (_, [wanted = '']) => {
  const { dataDir, partitions } = loadSettings();
  const readers = new Readers(dataDir);
  try {
    const { id } = findRepository(readers, wanted);
    const partition = readers.fresh(partitionOfRepository(id, partitions));
    if (!partition) throw new Error(`The partition of ${wanted} cannot be read.`);
    // The command waits until all output is written, because the process exits after the command. Standard output
    // stays open, since `end` is false.
    await pipeline(Readable.from(printable(dumpRepository(partition, id))), process.stdout, { end: false });
  } finally {
    await readers.close();
  }
  return 0;
};

/**
 * Adds line ends to lines of JSON. Characters that a terminal would interpret become JSON escapes with the same
 * meaning.
 */
function* printable(lines: Iterable<string>): Generator<string> {
  for (const line of lines) yield `${terminalText(line.slice(0, -1))}\n`;
}
