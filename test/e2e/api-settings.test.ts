/**
 * Tests the notes settings of a repository over HTTP: the spec's rules are the defaults, a PUT replaces all settings,
 * and a refusal names every invalid field.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { faultsIn } from '../helpers/log.ts';
import { deliverRocket } from '../helpers/rocket.ts';
import { startService } from '../helpers/service.ts';

test('a repository has settings', async (t) => {
  const service = await startService(t);
  const repoId = await deliverRocket(service);
  const path = `/api/repos/${repoId}/settings`;
  const { body: defaults } = await service.api('GET', path);

  await t.test('all defaults are shown', async () => {
    assert.deepEqual(Object.keys(defaults.titles).length, 11);
    assert.deepEqual([defaults.order, defaults.labels, defaults.customer.bullets], [[], {}, 0]);
    assert.equal(defaults.titles.feature, 'Features');
  });

  await t.test('given settings are stored, and missing ones have their default', async () => {
    const labels = { 'kind/regression': { type: 'fix', priority: true }, infra: { skip: true } };
    const put = await service.api('PUT', path, { order: ['fix'], titles: { fix: 'Mended' }, labels });
    assert.equal(put.status, 200);
    const titles = { ...defaults.titles, fix: 'Mended' };
    assert.deepEqual(put.body, { ...defaults, order: ['fix'], titles, labels });
    const got = await service.api('GET', path);
    assert.deepEqual(got.body, put.body);
    assert.equal(got.headers.get('etag')?.length, 26);
    assert.deepEqual((await service.api('PUT', path, got.body)).body, got.body);
    assert.deepEqual((await service.api('PUT', path, {})).body, defaults);
    assert.deepEqual((await service.api('GET', path)).body, defaults);
  });

  await t.test('an object with a large length field is refused like any other (spec 7)', async () => {
    for (const field of ['order', 'excludedLabels', 'excludedAuthors']) {
      const { status, body } = await service.api('PUT', path, { [field]: { length: 1e9 } });
      assert.deepEqual([status, Object.keys(body.details)], [400, [field]]);
    }
    assert.equal(await service.metric('tidings_child_restarts_total'), 0);
  });

  await t.test('all faults are named together, with their place', async () => {
    const { status, body } = await service.api('PUT', path, {
      order: ['fix', 'news'],
      titles: { feature: '', extra: 'x', other: 'a\nb' },
      labels: { bug: { type: 'insect' }, 'two\nlines': {}, none: null },
      excludedAuthors: [''],
      customer: { bullets: -1 },
      engineer: { contributors: 'yes' },
      tone: 'warm',
    });
    assert.equal(status, 400);
    const fields = [
      'order.1',
      'titles.feature',
      'titles.extra',
      'titles.other',
      'labels.bug.type',
      'labels.two\nlines',
    ];
    fields.push('labels.none', 'excludedAuthors.0', 'customer.bullets', 'engineer.contributors', 'tone');
    assert.deepEqual(Object.keys(body.details).sort(), fields.sort());
    assert.equal(body.details['customer.bullets'], 'expected an integer from 0 to 1000, got -1');
    assert.match(body.details['titles.extra'], /^unknown; expected one of breaking, feature/);
    assert.deepEqual((await service.api('GET', path)).body, defaults);
  });

  await t.test('settings over a maximum are refused', async () => {
    const labels = Object.fromEntries(Array.from({ length: 201 }, (_, i) => [`label-${i}`, {}]));
    assert.deepEqual(Object.keys((await service.api('PUT', path, { labels })).body.details), ['labels']);
    const excludedLabels = Array.from({ length: 101 }, (_, i) => `label-${i}`);
    assert.deepEqual(Object.keys((await service.api('PUT', path, { excludedLabels })).body.details), [
      'excludedLabels',
    ]);
    const long = { titles: { fix: 'x'.repeat(101) } };
    assert.deepEqual(Object.keys((await service.api('PUT', path, long)).body.details), ['titles.fix']);
    for (const body of [[], 'text', 5, null]) {
      assert.deepEqual(Object.keys((await service.api('PUT', path, body)).body.details), ['body'], String(body));
    }
  });

  await t.test('names that every JavaScript object has are labels like others', async () => {
    const labels = { constructor: { skip: true }, toString: { skip: true } };
    assert.equal((await service.api('PUT', path, { labels })).status, 200);
    assert.deepEqual(Object.keys((await service.api('GET', path)).body.labels), Object.keys(labels));
    const none = await service.api('PUT', path, JSON.parse('{"labels": {"__proto__": {"skip": true}}}'));
    assert.deepEqual([none.status, Object.keys(none.body.details)], [400, ['__proto__']], 'no record can have it');
    await service.api('PUT', path, {});
  });

  await t.test('of two people who replace the same settings, one is refused', async () => {
    const put = async (body: object, ifMatch?: string) => {
      const headers = { authorization: `Bearer ${service.adminKey}`, 'content-type': 'application/json' };
      const condition: Record<string, string> = ifMatch === undefined ? {} : { 'if-match': ifMatch };
      const init = { method: 'PUT', headers: { ...headers, ...condition }, body: JSON.stringify(body) };
      const answer = await fetch(service.url + path, init);
      return { status: answer.status, etag: answer.headers.get('etag') ?? '', body: await answer.json() };
    };
    const etag = async () => (await service.api('GET', path)).headers.get('etag') ?? '';
    const read = await etag();
    const both = await Promise.all([put({ links: 'short' }, read), put({ order: ['fix'] }, read)]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 412]);
    const [taken, late] = both[0].status === 200 ? both : [both[1], both[0]];
    assert.deepEqual(Object.keys(late.body as object), ['error', 'message']);
    assert.equal(await etag(), taken.etag, 'the reply has the new validator');
    assert.equal((await put({ labels: { 'a/b': { skip: true } } }, `"x", ${taken.etag}`)).status, 200);
    assert.equal((await put({}, taken.etag)).status, 412);
    assert.equal((await put({}, 'W/"1"')).status, 412);
    assert.equal((await put({}, 'bare')).status, 400);
    assert.equal((await put({}, '*')).status, 200);
    assert.equal((await put({}, read)).status, 200, 'the former settings have their former validator');
    assert.deepEqual((await put({})).body, defaults);
  });

  await t.test('the command line shows and replaces settings', async () => {
    assert.deepEqual(JSON.parse(service.tidings('repos', 'settings', 'acme/rocket')), defaults);
    const file = join(service.dataDir, 'notes.json');
    writeFileSync(file, '{"links": "short"}');
    assert.equal(JSON.parse(service.tidings('repos', 'settings', repoId, file)).links, 'short');
    assert.equal((await service.api('GET', path)).body.links, 'short');
    writeFileSync(file, '{"links": "none", "tone": "warm"}');
    assert.throws(() => service.tidings('repos', 'settings', repoId, file), /tone: unknown.*links: expected one of/);
    writeFileSync(file, 'links: short');
    assert.throws(() => service.tidings('repos', 'settings', repoId, file), /is not valid JSON/);
    await service.api('PUT', path, {});
  });

  await t.test('settings are visible only to keys that may see the repository', async () => {
    const key = (...args: string[]) => service.tidings('keys', 'create', '--name', 'k', '--quiet', ...args).trim();
    const [other, reader] = [key('--org', 'moon'), key('--org', 'acme', '--scopes', 'repos:read')];
    for (const method of ['GET', 'PUT']) {
      const body = method === 'PUT' ? {} : undefined;
      assert.equal((await service.api(method, path, body, other)).status, 404);
      assert.equal((await service.api(method, '/api/repos/repo_x/settings', body)).status, 404);
    }
    assert.equal((await service.api('GET', path, undefined, reader)).status, 200);
    assert.equal((await service.api('PUT', path, {}, reader)).status, 403);
    assert.equal((await service.api('DELETE', path)).status, 405);
  });

  await t.test('no failure was logged', () => {
    assert.deepEqual(faultsIn(service.log), []);
  });
});
