/** Tests the durability level of one NATS server of the operator, which is asked at its monitoring port. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { connectJournal } from '../../src/journal/connect.ts';
import { type Durability, findDurability } from '../../src/journal/monitor.ts';
import { ensureStream } from '../../src/journal/topology.ts';
import { externalSettings, startExternal } from '../helpers/external-nats.ts';
import { quiet } from '../helpers/journal.ts';
import { streamBytes } from '../helpers/partition-stream.ts';
import { freePort } from '../helpers/ports.ts';

/** Starts a server with these options of JetStream. Returns the durability of its journal, if its port is named or not. */
async function durability(t: TestContext, jetstream: string, isNamed = true): Promise<Durability> {
  const monitor = `127.0.0.1:${await freePort()}`;
  const port = await startExternal(t, `server_name: single\nhttp: "${monitor}"`, '127.0.0.1', jetstream);
  const settings = externalSettings(`nats://127.0.0.1:${port}`);
  const journal = await connectJournal(settings, { role: 'supervisor', name: 'test' }, quiet);
  try {
    const stream = await ensureStream(journal, 'p00', streamBytes);
    const natsMonitor = isNamed ? [`http://${monitor}/`] : [];
    return await findDurability({ ...settings, natsMonitor }, journal.connection.info?.version ?? '', [stream]);
  } finally {
    await journal.close();
  }
}

test('a server that says that it syncs survives a power cut', async (t) => {
  const { level, monitors, faults } = await durability(t, 'sync_interval: always');
  assert.deepEqual([level, faults], ['power-loss', []]);
  assert.deepEqual(
    monitors.map((answer) => 'name' in answer && [answer.name, answer.syncs]),
    [['single', true]],
  );
});

test('a server that does not sync, or was not asked, survives killed processes only', async (t) => {
  const lazy = await durability(t, '');
  assert.equal(lazy.level, 'process-crash');
  assert.match(
    lazy.faults.join(),
    /^the NATS server single at http:\S+ does not call fsync before it acknowledges\. Set/,
  );
  assert.deepEqual(await durability(t, 'sync_interval: always', false), {
    ...{ level: 'process-crash', monitors: [], faults: [] },
  });
});
