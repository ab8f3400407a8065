/**
 * Tests the complete path of a client: repositories, tags, release ranges and drafts. The ranges have all three types,
 * and the drafts are for all three personas. An edit of a draft is kept when the draft is generated again.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultsIn } from '../helpers/log.ts';
import { createTagRange, deliverRocket, generateDraft } from '../helpers/rocket.ts';
import { startService } from '../helpers/service.ts';

const timestamp = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const personas = ['engineer', 'internal', 'customer'];

test('a client gets from deliveries to edited drafts', async (t) => {
  const service = await startService(t);
  const repoId = await deliverRocket(service);
  let rangeId = '';

  await t.test('repositories are listed (spec 4)', async () => {
    const { status, body } = await service.api('GET', '/api/repos');
    assert.equal(status, 200);
    assert.deepEqual([body.total, body.hasMore, body.nextOffset], [1, false, null]);
    const [repo] = body.repos;
    assert.match(repo.orgId, /^org_/);
    assert.match(repo.createdAt, timestamp);
    assert.deepEqual(
      [repo.id, repo.scmRepoId, repo.fullName, repo.defaultBranch],
      [repoId, 1001, 'acme/rocket', 'main'],
    );
  });

  await t.test('tags are listed, newest first (spec 4)', async () => {
    const { body } = await service.api('GET', `/api/repos/${repoId}/tags`);
    assert.deepEqual(
      body.tags.map(({ name }: { name: string }) => name),
      ['v1.1.0', 'v1.0.0'],
    );
    for (const { sha, date } of body.tags) {
      assert.match(sha, /^[0-9a-f]{40}$/);
      assert.match(date, timestamp);
    }
  });

  await t.test('a range between tags is created (spec 4)', async () => {
    const { status, headers, body } = await createTagRange(service, repoId);
    assert.equal(status, 201);
    rangeId = body.id;
    assert.match(rangeId, /^range_/);
    assert.equal(headers.get('location'), `/api/ranges/${rangeId}`);
    assert.deepEqual([body.repoId, body.type, body.fromTag, body.toTag], [repoId, 'TAG_BASED', 'v1.0.0', 'v1.1.0']);
    assert.equal(body.compareUrl, 'https://github.com/acme/rocket/compare/v1.0.0...v1.1.0');
    assert.match(body.createdAt, timestamp);
    const read = await service.api('GET', `/api/ranges/${rangeId}`);
    assert.equal(read.status, 200);
    assert.deepEqual([read.body.id, read.body.prCount], [rangeId, 3]);
    assert.ok(read.body.issueCount >= 1);
  });

  await t.test('ranges by dates and by numbers are created (spec 4)', async () => {
    const dates = { repoId, type: 'DATE_BASED', fromDate: '2026-01-02', toDate: '2026-01-02' };
    const numbers = { repoId, type: 'PR_BASED', fromPrNumber: 2, toPrNumber: 2 };
    const byDate = await service.api('POST', '/api/ranges', dates);
    assert.deepEqual([byDate.status, byDate.body.fromDate, byDate.body.toDate], [201, '2026-01-02', '2026-01-02']);
    assert.equal((await service.api('GET', `/api/ranges/${byDate.body.id}`)).body.prCount, 4, 'one day is legal');
    const byNumber = await service.api('POST', '/api/ranges', numbers);
    assert.deepEqual([byNumber.status, byNumber.body.fromPrNumber, byNumber.body.toPrNumber], [201, 2, 2]);
    assert.equal((await service.api('GET', `/api/ranges/${byNumber.body.id}`)).body.prCount, 1, 'one number is legal');
    assert.equal('compareUrl' in byNumber.body, false);
  });

  await t.test('ranges are listed, newest first (spec 4)', async () => {
    const { body } = await service.api('GET', `/api/ranges?repoId=${repoId}`);
    assert.equal(body.total, 3);
    assert.equal(body.ranges[2].id, rangeId);
  });

  await t.test('a range by dates has the days of its time zone', async () => {
    const dates = { repoId, type: 'DATE_BASED', fromDate: '2026-01-02', toDate: '2026-01-02' };
    const timeZone = 'America/Sao_Paulo';
    const made = await service.api('POST', '/api/ranges', { ...dates, timeZone });
    const read = await service.api('GET', `/api/ranges/${made.body.id}`);
    const { body } = await service.api('GET', `/api/ranges?repoId=${repoId}`);
    for (const range of [made.body, read.body, body.ranges[0]]) {
      assert.deepEqual([range.fromDate, range.toDate, range.timeZone], ['2026-01-02', '2026-01-02', timeZone]);
      assert.equal('span' in range, false);
      assert.equal(range.prCount, 2, 'two of the four were merged before 03:00 UTC');
    }
    const changes = await service.api('GET', `/api/ranges/${made.body.id}/changes?included=true`);
    assert.ok(changes.body.changes.every(({ method }: { method: string }) => method === 'date' || method === 'link'));
    const again = await service.api('POST', '/api/ranges', dates);
    assert.notEqual(again.body.id, made.body.id);
    assert.deepEqual(['timeZone' in again.body, again.body.prCount], [false, 4]);
  });

  await t.test('drafts for three personas are generated (spec 4)', async () => {
    const bodies = new Set<string>();
    for (const persona of personas) {
      const ticket = await service.api('POST', `/api/drafts/${rangeId}/generate`, { persona });
      assert.equal(ticket.status, 201);
      assert.deepEqual(Object.keys(ticket.body).sort(), ['estimatedTime', 'id', 'status']);
      assert.equal(ticket.body.status, 'processing');
      assert.ok(Number.isInteger(ticket.body.estimatedTime));
      const draft = await generateDraft(service, rangeId, persona);
      assert.deepEqual([draft.id, draft.releaseRangeId, draft.persona], [ticket.body.id, rangeId, persona]);
      assert.match(draft.bodyMd, /Faster start/);
      assert.doesNotMatch(draft.bodyMd, /First light/);
      assert.ok(Array.isArray(draft.flags.highlights) && Array.isArray(draft.flags.contributors));
      assert.deepEqual(draft.flags.contributors, ['ada']);
      assert.equal(typeof draft.flags.upgradeInstructions, 'string');
      bodies.add(draft.id);
    }
    assert.equal(bodies.size, 3);
  });

  await t.test('drafts are listed and filtered (spec 4)', async () => {
    const all = await service.api('GET', `/api/drafts?releaseRangeId=${rangeId}`);
    assert.deepEqual(all.body.drafts.map((draft: { persona: string }) => draft.persona).sort(), [...personas].sort());
    const one = await service.api('GET', `/api/drafts?releaseRangeId=${rangeId}&persona=internal`);
    assert.deepEqual(
      one.body.drafts.map((draft: { persona: string }) => draft.persona),
      ['internal'],
    );
    assert.equal(one.body.total, 1);
  });

  await t.test('an edit is kept when the draft is generated again', async () => {
    const before = await generateDraft(service, rangeId);
    const bodyMd = `${before.bodyMd}\n\nWritten by a person: grüße 🚀\n`;
    const edited = await service.api('PATCH', `/api/drafts/${before.id}`, { bodyMd });
    assert.equal(edited.status, 200);
    assert.deepEqual(Object.keys(edited.body).sort(), ['bodyMd', 'conflicts', 'id', 'updatedAt']);
    assert.equal(edited.body.bodyMd, bodyMd);
    assert.ok(edited.body.updatedAt > before.updatedAt);
    assert.equal((await service.api('GET', `/api/drafts/${before.id}`)).body.bodyMd, bodyMd);
    const again = await generateDraft(service, rangeId);
    assert.match(again.bodyMd, /Written by a person: grüße 🚀/);
  });

  await t.test('a draft of the maximum size is stored unchanged', async () => {
    const draft = await generateDraft(service, rangeId, 'customer');
    for (const bodyMd of ['', '"'.repeat(1_048_576), 'é'.repeat(524_288), '\u0001'.repeat(1_048_576)]) {
      assert.equal((await service.api('PATCH', `/api/drafts/${draft.id}`, { bodyMd })).status, 200);
      assert.equal((await service.api('GET', `/api/drafts/${draft.id}`)).body.bodyMd, bodyMd);
    }
  });

  await t.test('no failure was logged', () => {
    assert.deepEqual(faultsIn(service.log), []);
  });
});
