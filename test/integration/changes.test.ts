/** Tests the subscription to the changes of partitions while the journal cannot be reached. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { publishChanges, receiveChanges } from '../../src/journal/changes.ts';
import { startNats } from '../helpers/journal.ts';
import { waitUntil } from '../helpers/wait-until.ts';

test('a subscription that fails does not come back with the connection', async (t) => {
  const nats = await startNats(t);
  const gateway = await nats.connect();
  let received = 0;
  const receive = () =>
    receiveChanges(gateway, () => {
      received += 1;
    });
  await nats.kill();
  await waitUntil('the connection is lost', () => !gateway.connected());
  for (let i = 0; i < 3; i++) await assert.rejects(receive());
  await nats.start();
  await waitUntil('the connection is back', () => gateway.connected());
  const owner = await nats.connect();
  const announce = async () => {
    publishChanges(owner, 'p00', { reset: false, events: [] });
    await owner.connection.flush();
    await gateway.connection.flush();
  };
  await announce();
  assert.equal(received, 0);
  const end = await receive();
  await announce();
  assert.equal(received, 1);
  end();
  await announce();
  assert.equal(received, 1);
});
