/**
 * Tests revisions and conditional requests over HTTP: reading and restoring earlier bodies of a draft, and two people
 * who edit the same revision.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultsIn } from '../helpers/log.ts';
import { createTagRange, deliverRocket, generateDraft } from '../helpers/rocket.ts';
import { type Answer, startService } from '../helpers/service.ts';

test('a draft has revisions and validators', async (t) => {
  const service = await startService(t);
  const rangeId = (await createTagRange(service, await deliverRocket(service))).body.id;
  const generated = await generateDraft(service, rangeId);
  const path = `/api/drafts/${generated.id}`;

  /** Sends one request with extra headers. */
  async function call(method: string, url: string, headers: Record<string, string>, body?: unknown): Promise<Answer> {
    const answer = await fetch(service.url + url, {
      method,
      headers: { authorization: `Bearer ${service.adminKey}`, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, body: text === '' ? '' : JSON.parse(text) };
  }
  const etagNow = async () => (await call('GET', path, {})).headers.get('etag') ?? '';

  await t.test('every body is listed, newest first', async () => {
    await service.api('PATCH', path, { bodyMd: 'By hand: grüße.\n' });
    const { status, body } = await service.api('GET', `${path}/revisions`);
    assert.equal(status, 200);
    assert.deepEqual([body.total, body.hasMore, body.nextOffset], [2, false, null]);
    const [newest, first] = body.revisions;
    assert.deepEqual(Object.keys(newest).sort(), ['by', 'bytes', 'createdAt', 'kind', 'number']);
    assert.deepEqual([newest.number, newest.kind, newest.bytes], [2, 'edited', 18]);
    assert.match(newest.by, /^key_/);
    assert.deepEqual([first.number, first.kind, first.by], [1, 'generated', null]);
    assert.equal((await service.api('GET', path)).body.revision, 2);
  });

  await t.test('the list of revisions has pages and orders', async () => {
    const numbers = async (query: string) =>
      (await service.api('GET', `${path}/revisions?${query}`)).body.revisions.map(
        (each: { number: number }) => each.number,
      );
    assert.deepEqual(await numbers('limit=1'), [2]);
    assert.deepEqual(await numbers('limit=1&offset=1'), [1]);
    assert.deepEqual(await numbers('order=asc'), [1, 2]);
    assert.deepEqual(await numbers('sort=name&order=desc'), [2, 1]);
  });

  await t.test('a revision is read and restored', async () => {
    const first = await service.api('GET', `${path}/revisions/1`);
    assert.deepEqual([first.body.draftId, first.body.bodyMd], [generated.id, generated.bodyMd]);
    const restored = await service.api('POST', `${path}/restore`, { revision: 1 });
    assert.equal(restored.status, 200);
    assert.deepEqual(Object.keys(restored.body).sort(), ['bodyMd', 'conflicts', 'id', 'revision', 'updatedAt']);
    assert.deepEqual([restored.body.bodyMd, restored.body.revision], [generated.bodyMd, 3]);
    assert.equal((await service.api('GET', path)).body.bodyMd, generated.bodyMd);
    assert.equal((await service.api('GET', `${path}/revisions/2`)).body.bodyMd, 'By hand: grüße.\n');
  });

  await t.test('invalid requests for revisions are refused', async () => {
    for (const number of ['0', '4', 'x', '01', '-1', '99999999999']) {
      const { status, body } = await service.api('GET', `${path}/revisions/${number}`);
      assert.deepEqual([status, body.error], [404, 'Not found'], number);
      assert.match(body.message, /^Revision /);
    }
    assert.equal((await service.api('GET', '/api/drafts/draft_x/revisions')).status, 404);
    assert.equal((await service.api('POST', '/api/drafts/draft_x/restore', { revision: 1 })).status, 404);
    assert.equal((await service.api('POST', `${path}/restore`, { revision: 9 })).status, 404);
    for (const revision of [0, -1, 1.5, '1', null, 2 ** 31]) {
      const { status, body } = await service.api('POST', `${path}/restore`, { revision });
      assert.deepEqual([status, Object.keys(body.details)], [400, ['revision']], String(revision));
    }
    assert.deepEqual(Object.keys((await service.api('GET', `${path}/revisions?page=1`)).body.details), ['page']);
  });

  await t.test('an unchanged draft is not sent again', async () => {
    const { headers } = await call('GET', path, {});
    const etag = headers.get('etag') ?? '';
    assert.match(etag, /^"4-[\w-]{22}"$/);
    for (const known of [etag, `"x", W/${etag}`, '*']) {
      const answer = await call('GET', path, { 'if-none-match': known });
      assert.deepEqual([answer.status, answer.body, answer.headers.get('etag')], [304, '', etag], known);
      assert.ok(answer.headers.get('x-request-id'));
    }
    for (const other of ['"x"', etag.slice(1, -1), 'nonsense']) {
      assert.equal((await call('GET', path, { 'if-none-match': other })).status, 200, other);
    }
    const edit = await service.api('PATCH', path, { bodyMd: 'Other words.\n' });
    assert.equal((await call('GET', path, { 'if-none-match': etag })).status, 200);
    assert.equal(edit.headers.get('etag'), await etagNow());
  });

  await t.test('other reads have validators too', async () => {
    for (const url of [
      `/api/ranges/${rangeId}`,
      `/api/drafts?releaseRangeId=${rangeId}`,
      `${path}/revisions/1`,
      '/api/repos',
    ]) {
      const etag = (await call('GET', url, {})).headers.get('etag') ?? '';
      assert.match(etag, /^"4-[\w-]{22}"$/, url);
      assert.equal((await call('GET', url, { 'if-none-match': etag })).status, 304, url);
    }
  });

  await t.test('of two people who edit the same state, one is refused', async () => {
    const etag = await etagNow();
    const edits = ['Ada.\n', 'Grace.\n'].map((bodyMd) => call('PATCH', path, { 'if-match': etag }, { bodyMd }));
    const answers = await Promise.all(edits);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 412]);
    const [won, lost] = answers.sort((a, b) => a.status - b.status) as [Answer, Answer];
    assert.equal((await service.api('GET', path)).body.bodyMd, won.body.bodyMd);
    assert.deepEqual(Object.keys(lost.body).sort(), ['error', 'message']);
    assert.equal(lost.body.error, 'Precondition failed');
    const again = { 'if-match': won.headers.get('etag') ?? '' };
    assert.equal((await call('PATCH', path, again, { bodyMd: 'Both.\n' })).status, 200);
    assert.equal((await call('POST', `${path}/restore`, { 'if-match': etag }, { revision: 1 })).status, 412);
  });

  await t.test('flags are edited, with or without the text, and restored with their revision', async () => {
    const first = await service.api('PATCH', path, { flags: { highlights: ['<b>Mine</b> @here', '\ud800'] } });
    assert.deepEqual(Object.keys(first.body), ['id', 'bodyMd', 'flags', 'conflicts', 'updatedAt']);
    assert.deepEqual(first.body.flags.highlights, ['<b>Mine</b> @here', '\ufffd']);
    const both = await service.api('PATCH', path, { bodyMd: 'Flagged.\n', flags: { upgradeInstructions: 'Restart.' } });
    assert.deepEqual([both.status, both.body.bodyMd], [200, 'Flagged.\n']);
    const { body } = await service.api('GET', path);
    assert.deepEqual([body.bodyMd, body.flags], ['Flagged.\n', both.body.flags]);
    const { revisions } = (await service.api('GET', `${path}/revisions`)).body;
    assert.deepEqual(revisions[0].flags, body.flags);
    assert.deepEqual(revisions[1].flags, first.body.flags);
    assert.ok(!('flags' in revisions.at(-1)));
    const restored = await service.api('POST', `${path}/restore`, { revision: revisions[1].number });
    assert.deepEqual(restored.body.flags, first.body.flags);
    const reset = await service.api('PATCH', path, { flags: { highlights: null } });
    assert.ok(!reset.body.flags.highlights.includes('<b>Mine</b> @here'));
    const etag = await etagNow();
    assert.equal((await call('PATCH', path, { 'if-match': etag }, { flags: { contributors: ['x'] } })).status, 200);
    assert.equal((await call('PATCH', path, { 'if-match': etag }, { flags: { contributors: ['y'] } })).status, 412);
  });

  await t.test('invalid flags are refused by name', async () => {
    const bad: [unknown, RegExp][] = [
      [{}, /^flags$/],
      [null, /^flags$/],
      [{ highlights: 'x' }, /^flags[./]highlights/],
      [{ highlights: Array.from({ length: 21 }, (_, index) => `${index}`) }, /^flags[./]highlights/],
      [{ highlights: ['x'.repeat(301)] }, /^flags[./]highlights/],
      [{ contributors: [''] }, /^flags[./]contributors/],
      [{ upgradeInstructions: 'x'.repeat(65_537) }, /^flags[./]upgradeInstructions/],
      [{ other: 1 }, /^flags[./]other/],
    ];
    for (const [flags, field] of bad) {
      const { status, body } = await service.api('PATCH', path, { flags });
      assert.equal(status, 400, JSON.stringify(flags).slice(0, 80));
      assert.match(Object.keys(body.details)[0] ?? '', field);
    }
  });

  await t.test('If-Match follows the standard', async () => {
    const etag = await etagNow();
    const patch = (ifMatch: string) => call('PATCH', path, { 'if-match': ifMatch }, { bodyMd: 'Both.\n' });
    for (const good of ['*', etag, `"x",${etag} , "y"`]) assert.equal((await patch(good)).status, 200, good);
    for (const stale of [`W/${etag}`, '"x"', '""']) assert.equal((await patch(stale)).status, 412, stale);
    for (const bad of ['x', etag.slice(1), `${etag} ${etag}`, `${etag},`, "'x'", 'w/"x"']) {
      const { status, body } = await patch(bad);
      assert.deepEqual([status, Object.keys(body.details)], [400, ['If-Match']], bad);
    }
    assert.equal((await call('PATCH', '/api/drafts/draft_x', { 'if-match': '*' }, { bodyMd: '' })).status, 404);
  });

  await t.test('no failure was logged', () => {
    assert.deepEqual(faultsIn(service.log), []);
  });
});
