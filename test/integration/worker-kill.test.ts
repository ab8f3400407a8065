/** Kills a worker process a few times under load. `test/long/` has more kills. */
import { test } from 'node:test';
import { killWorker } from '../helpers/worker-kill.ts';

test('a killed worker leaves exactly the fold of its journal', async (t) => {
  await killWorker(t, 6);
});
