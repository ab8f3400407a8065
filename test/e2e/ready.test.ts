/**
 * A service is ready when all of it is: also when its questions can be answered, which takes a render thread.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { temporaryFolder } from '../helpers/ports.ts';
import { startService } from '../helpers/service.ts';

/** Much longer than the rest of a start takes. */
const loadMs = 6000;

test('is not ready before a thread for questions is loaded', async (t) => {
  const file = join(temporaryFolder(t), 'slow-threads.mjs');
  const sleep = `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${loadMs})`;
  writeFileSync(file, `import { isMainThread } from 'node:worker_threads';\nif (!isMainThread) ${sleep};\n`);
  const since = performance.now();
  await startService(t, { env: { NODE_OPTIONS: `--import ${pathToFileURL(file)}` } });
  assert.ok(performance.now() - since > loadMs);
});
