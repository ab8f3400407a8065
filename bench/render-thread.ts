/**
 * Writes drafts on request in a thread of its own, the way a worker's render threads do: partition opened read-only, a fresh
 * view for each draft, text out. Without the pool before it, whose queue is not what is asked about.
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
