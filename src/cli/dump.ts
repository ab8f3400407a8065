/**
 * `tidings dump REPO`: everything captured of a repository, a line of JSON a record, read from the store. It works while the
 * service runs and while it does not.
 */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { loadSettings } from '../../config/load.ts';
import { partitionOf, slotOfId } from '../foundation/ids.ts';
import { terminalText } from '../foundation/visible-text.ts';
import { partitionName } from '../journal/subjects.ts';
import { dumpRepository } from '../store/dump.ts';
import { Readers } from '../store/readers.ts';
import { findRepository } from './repository.ts';
import { type CliCommand, single } from './usage.ts';

export const dumpCommand: CliCommand = single({
  arguments: 'OWNER/REPO|REPO_ID',
  help: 'Prints everything captured of a repository, one JSON record a line, always in the same order',
  examples: ['dump acme/rocket > rocket.jsonl'],
  run: async (_, [wanted = '']) => {
    const { dataDir, partitions } = loadSettings();
    const readers = new Readers(dataDir);
    try {
      const { id } = findRepository(readers, wanted);
      const partition = readers.fresh(partitionName(partitionOf(slotOfId(id) as number, partitions)));
      if (!partition) throw new Error(`The partition of ${wanted} cannot be read.`);
      // The command ends the process, so standard output stays open for whatever it still has to write.
      await pipeline(Readable.from(printable(dumpRepository(partition, id))), process.stdout, { end: false });
    } finally {
      await readers.close();
    }
    return 0;
  },
});

/** Lines of JSON with their ends. Escapes leave their meaning as it is. */
function* printable(lines: Iterable<string>): Generator<string> {
  for (const line of lines) yield `${terminalText(line.slice(0, -1))}\n`;
}
