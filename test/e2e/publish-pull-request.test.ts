/**
 * Tests publication to a protected branch of the code host: the pull requests, their merge by each kind of merge, and
 * the notes of the next release, which leave them out.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { theRepository } from '../helpers/backfill.ts';
import { addPull, buildHistory, timeOfNumber } from '../helpers/host/build.ts';
import { pullDeliveries, pushDelivery, tagDeliveries } from '../helpers/host/deliveries.ts';
import { startHost } from '../helpers/host/server.ts';
import { generateDraft, toEnd } from '../helpers/rocket.ts';
import { startService, type TestService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const small = { TIDINGS_PARTITIONS: '1', TIDINGS_RENDER_THREADS: '1' };
/** Number of the only pull request of a person in the next release. */
const theirs = 58;

for (const kind of ['github', 'gitea'] as const) {
  test(`${kind}: files of a protected branch are published by pull requests that no notes list`, async (t) => {
    const host = await startHost(t, buildHistory(), { kind, token: 'secret-token' });
    const { history, place, publishing } = host;
    const { proposals } = publishing;
    publishing.guarded.add('main');
    const service = await startService(t, { env: { ...small, ...host.env } });
    assert.equal((await service.run('backfill', 'acme/rocket')).code, 0);
    const repoId = await theRepository(service);
    const draft = await generateDraft(service, await rangeOf(service, repoId, 'v1.0.0', 'v2.0.0'));
    let pushed = history.pushes.length;

    const publish = async (channel: string) => {
      const { body } = await toEnd(service, service.api('POST', '/api/publish', { draftId: draft.id, channel }));
      assert.equal(body.status, 'completed', JSON.stringify(body));
      return body;
    };
    const edit = async (bodyMd: string) =>
      assert.equal((await service.api('PATCH', `/api/drafts/${draft.id}`, { bodyMd })).status, 200);
    const deliverPushes = async () => {
      for (const push of history.pushes.slice(pushed)) {
        const { event, payload } = pushDelivery(history, place, push);
        await service.deliver(event, payload);
      }
      pushed = history.pushes.length;
    };
    const deliverPull = async (number: number) => {
      for (const { event, payload } of pullDeliveries(history, place, number)) await service.deliver(event, payload);
      await deliverPushes();
    };

    const first = await publish('changelog');
    const [pull] = proposals.own;
    assert.match(first.url, new RegExp(`/acme/rocket/pulls?/${pull?.number}$`));
    await edit('- Edited\n');
    const later = await publish('changelog');
    assert.deepEqual([later.url, later.id !== first.id, proposals.own.length], [first.url, true, 1]);
    assert.match(publishing.text('CHANGELOG.md', pull?.head) ?? '', /\n- Edited\n/);
    assert.equal(publishing.text('CHANGELOG.md'), undefined);
    await publish('releases_md');
    proposals.merge(proposals.own[0]?.number ?? 0, 'merge');
    proposals.merge(proposals.own[1]?.number ?? 0, 'squash');
    await edit('- Edited again\n');
    await publish('changelog');
    proposals.merge(proposals.own[2]?.number ?? 0, 'rebase');
    assert.match(publishing.text('CHANGELOG.md') ?? '', /\n- Edited again\n/);
    const own = proposals.own.map(({ number }) => number);
    assert.equal(own.length, 3);
    for (const number of own) await deliverPull(number);

    addPull(history, theirs);
    await deliverPull(theirs);
    const tag = { name: 'v3.0.0', sha: history.branches.get('main') ?? '', pushedAt: timeOfNumber(theirs + 1) };
    history.tags.push(tag);
    for (const { event, payload } of tagDeliveries(history, place, tag)) await service.deliver(event, payload);
    await waitUntil('the tag is known', async () => {
      const { tags } = (await service.api('GET', `/api/repos/${repoId}/tags`)).body;
      return tags.some(({ name }: { name: string }) => name === tag.name);
    });
    const rangeId = await rangeOf(service, repoId, 'v2.0.0', 'v3.0.0');
    const { changes } = (await service.api('GET', `/api/ranges/${rangeId}/changes`)).body;
    const listed = (isIncluded: boolean) =>
      changes
        .filter(({ included }: { included: boolean }) => included === isIncluded)
        .map(({ number, reason }: { number: number; reason: string }) => [number, reason]);
    assert.deepEqual(listed(true), [[theirs, 'listed']], JSON.stringify(changes));
    assert.deepEqual(
      listed(false).sort(),
      own.map((number) => [number, 'own']),
    );
    for (const persona of ['engineer', 'customer'])
      assert.doesNotMatch((await generateDraft(service, rangeId, persona)).bodyMd, /CHANGELOG|RELEASES/, persona);
  });
}

async function rangeOf(service: TestService, repoId: string, fromTag: string, toTag: string): Promise<string> {
  const range = await service.api('POST', '/api/ranges', { type: 'TAG_BASED', repoId, fromTag, toTag });
  assert.equal(range.status, 201, JSON.stringify(range.body));
  return range.body.id;
}
