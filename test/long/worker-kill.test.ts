/** Kills a worker process 48 times under load. */
import { test } from 'node:test';
import { killWorker } from '../helpers/worker-kill.ts';

test('a worker that is killed 48 times leaves exactly the fold of its journal', async (t) => {
  await killWorker(t, 48);
});
