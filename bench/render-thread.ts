/**
 * Writes drafts on request in a thread, in the same way as a worker's render thread. The partition is read-only, each
 * draft gets a fresh view, and the reply is the text of the draft. No pool is used, because the time in a pool's queue
 * must not be measured.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { compose } from '../src/notes/draft/compose.ts';
import { Readers } from '../src/store/readers.ts';
import { RepositoryView } from '../src/store/repository-view.ts';
import { readRange } from '../src/store/tables/ranges.ts';

const { dataDir, partition: name } = workerData as { dataDir: string; partition: string };
const readers = new Readers(dataDir);

parentPort?.on('message', async (rangeId: string) => {
  await readers.follow(name);
  const partition = readers.fresh(name);
  const range = partition && readRange(partition, rangeId);
  const view = partition && range && RepositoryView.of(partition, range.repoId);
  parentPort?.postMessage(view && range ? compose(view, range.bounds, 'engineer').bodyMd : '');
  readers.release(name);
});
