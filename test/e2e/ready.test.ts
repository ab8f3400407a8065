/**
 * Tests that a service is ready only after all its parts are ready. Among these parts is a render thread, which must
 * have loaded before previews and channel tests can run.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { temporaryFolder } from '../helpers/ports.ts';
import { startService } from '../helpers/service.ts';

/** How long the render threads take to load, in milliseconds. This is much longer than the rest of a start. */
const loadMs = 6000;

test('the service is not ready before a render thread for questions is loaded', async (t) => {
  const file = join(temporaryFolder(t), 'slow-threads.mjs');
  const sleep = `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${loadMs})`;
  writeFileSync(file, `import { isMainThread } from 'node:worker_threads';\nif (!isMainThread) ${sleep};\n`);
  const since = performance.now();
  await startService(t, { env: { NODE_OPTIONS: `--import ${pathToFileURL(file)}` } });
  assert.ok(performance.now() - since > loadMs);
});
