/**
 * Tests that the service accepts only events of connected repositories. An app connects and disconnects repositories,
 * and a person can unselect a repository.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pullPayload } from '../helpers/payloads.ts';
import { startService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

function installation(action: string, fields: Record<string, unknown> = {}) {
  const repository = { id: 1001, full_name: 'acme/rocket', private: false };
  return { action, installation: { id: 8, account: { login: 'acme', id: 77 } }, repositories: [repository], ...fields };
}

test('events stop and continue with the connection', async (t) => {
  const service = await startService(t, { env: { TIDINGS_AUTO_CONNECT: 'false' } });
  const state = async () => (await service.api('GET', '/api/repos')).body.repos[0]?.state;
  const become = (wanted: string | undefined) => waitUntil(`it is ${wanted}`, async () => (await state()) === wanted);
  const deliver = async (number: number) => (await service.deliver('pull_request', pullPayload(number))).status;

  assert.equal(await deliver(1), 200, 'unknown');
  assert.equal((await service.deliver('installation', installation('created'))).status, 202);
  await become('connected');
  assert.equal(await deliver(2), 202);

  const [{ id }] = (await service.api('GET', '/api/repos')).body.repos;
  const unselected = await service.api('PATCH', `/api/repos/${id}`, { selected: false });
  assert.deepEqual([unselected.status, unselected.body.state], [200, 'unselected']);
  assert.equal(await deliver(3), 200);
  assert.equal((await service.api('PATCH', `/api/repos/${id}`, { selected: true })).body.state, 'connected');
  assert.equal(await deliver(4), 202);
  assert.equal((await service.api('PATCH', `/api/repos/${id}`, { selected: 'yes' })).status, 400);

  await service.deliver('installation', installation('deleted'));
  await become('disconnected');
  assert.equal(await deliver(5), 200);
  await service.deliver('installation', installation('created'));
  await become('connected');
  assert.equal(await deliver(6), 202);
});
