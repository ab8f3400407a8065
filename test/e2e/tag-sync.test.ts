/**
 * Tests tags that no event reports completely. The host sends no event for a push of many tags, and a create event does
 * not contain the commit. The service therefore reads these tags from the host at intervals.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { theRepository } from '../helpers/backfill.ts';
import { buildHistory } from '../helpers/host/build.ts';
import { deliveriesOf } from '../helpers/host/deliveries.ts';
import { startHost } from '../helpers/host/server.ts';
import { startService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const small = { TIDINGS_PARTITIONS: '1', TIDINGS_RENDER_THREADS: '1', TIDINGS_TAG_SYNC_HOURS: '6' };

test('tags without an event are found', async (t) => {
  const host = await startHost(t, buildHistory({ numbers: 30 }), { token: 'secret-token' });
  const service = await startService(t, { env: { ...small, ...host.env } });
  const created = deliveriesOf(host.history, host.place).find(({ event }) => event === 'create') ?? assert.fail();
  assert.equal((await service.deliver('create', created.payload)).status, 202);
  const repoId = await theRepository(service);
  const tags = async () => (await service.api('GET', `/api/repos/${repoId}/tags`)).body.tags;
  const found = await waitUntil('all tags are listed', async () => {
    const listed = await tags();
    return listed.length === host.history.tags.length && listed;
  });
  for (const { name, sha, date } of found) {
    const tag = host.history.tags.find((candidate) => candidate.name === name) ?? assert.fail(name);
    const commit = host.history.commits.get(tag.sha) ?? assert.fail();
    assert.deepEqual([sha, Date.parse(date)], [tag.sha, tag.object?.at ?? commit.at]);
  }
});

test('a backfill updates moved tags and keeps tags that were deleted on the host', async (t) => {
  const host = await startHost(t, buildHistory({ numbers: 30 }), { token: 'secret-token' });
  const service = await startService(t, { env: { ...small, ...host.env, TIDINGS_TAG_SYNC_HOURS: '0' } });
  await service.run('backfill', 'acme/rocket');
  const repoId = await theRepository(service);
  const [moved, gone] = [host.history.tags[0] ?? assert.fail(), host.history.tags.pop() ?? assert.fail()];
  moved.sha = host.history.branches.get('main') as string;
  assert.equal((await service.run('backfill', 'acme/rocket')).code, 0);
  const { tags } = (await service.api('GET', `/api/repos/${repoId}/tags`)).body;
  const shaOf = (name: string) => tags.find((tag: { name: string }) => tag.name === name)?.sha;
  assert.deepEqual([shaOf(moved.name), shaOf(gone.name)], [moved.sha, gone.sha]);
});
