/**
 * Tests captured pull requests and issues over HTTP: their fields, their comments, and the refusals. Commands in
 * comments change drafts.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultsIn } from '../helpers/log.ts';
import { issuePayload, pullPayload } from '../helpers/payloads.ts';
import { createTagRange, deliverRocket, generateDraft } from '../helpers/rocket.ts';
import { startService, type TestService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

interface CommentFields {
  id: number;
  body: string;
  at?: string;
  login?: string;
  [field: string]: unknown;
}

/** Delivers a comment on a pull request. */
function comment(service: TestService, number: number, action: string, fields: CommentFields): Promise<unknown> {
  const { at = '2026-01-03T00:00:00Z', login = 'bo', ...others } = fields;
  return service.deliver('issue_comment', {
    ...issuePayload(number),
    action,
    issue: { number, pull_request: { url: 'x' } },
    comment: { user: { login }, created_at: at, updated_at: at, ...others },
  });
}

test('captured pull requests and issues are readable', async (t) => {
  const service = await startService(t);
  const repoId = await deliverRocket(service);
  const path = `/api/repos/${repoId}`;
  const get = (rest: string, key?: string) => service.api('GET', path + rest, undefined, key);

  await t.test('a pull request has its stored fields and the current names of its labels', async () => {
    const renamed = { ...pullPayload(3), action: 'edited', label: { name: 'type: fix' } };
    await service.deliver('label', { ...renamed, changes: { name: { from: 'type: bug' } } });
    const { body } = await waitUntil('the label is renamed', async () => {
      const reply = await get('/pulls/3');
      return reply.body.labels[0] === 'type: fix' && reply;
    });
    assert.deepEqual(body, {
      ...{ repoId, number: 3, title: 'No more leaks', body: 'Fixes #5', state: 'merged', labels: ['type: fix'] },
      ...{ author: { handle: 'ada', bot: false }, createdAt: '2026-01-01T00:00:00.000Z', reactions: 0 },
      ...{ updatedAt: '2026-01-02T03:00:00.000Z', closedAt: '2026-01-02T03:00:00.000Z' },
      ...{ mergedAt: '2026-01-02T03:00:00.000Z', mergeSha: 'a0000003'.padEnd(40, '0') },
      ...{ baseBranch: 'main', headBranch: 'change-3', linkedIssues: [5] },
      ...{ url: 'https://github.com/acme/rocket/pull/3', comments: [], total: 0, hasMore: false, nextOffset: null },
    });
  });

  await t.test('comments are redacted and in order, and a deleted comment is not shown (spec 2)', async () => {
    await comment(service, 3, 'created', { id: 10, body: 'Third', author_association: 'MEMBER' });
    await comment(service, 3, 'created', { id: 9, body: 'Second' });
    await comment(service, 3, 'created', { id: 11, body: 'Ask bo@example.com', at: '2026-01-02T12:00:00Z' });
    await comment(service, 3, 'created', { id: 12, body: 'Wrong' });
    await comment(service, 3, 'deleted', { id: 12, body: 'Wrong' });
    const review = { id: 7, state: 'approved', body: 'Good', user: { login: 'ida' } };
    const submitted_at = '2026-01-04T00:00:00Z';
    const payload = { ...pullPayload(3, { title: 'No more leaks', body: 'Fixes #5' }), action: 'submitted' };
    await service.deliver('pull_request_review', { ...payload, review: { ...review, submitted_at } });
    const { comments } = await waitUntil('the review is captured', async () => {
      const { body } = await get('/pulls/3');
      return body.total === 4 && body.comments.at(-1)?.kind === 'review' && body;
    });
    const shown = comments.map(({ id, kind, state, body, author, association }: Record<string, unknown>) => {
      return [id, kind, state, body, (author as { handle: string }).handle, association];
    });
    assert.deepEqual(shown, [
      ['11', 'discussion', null, 'Ask [email]', 'bo', null],
      ['9', 'discussion', null, 'Second', 'bo', null],
      ['10', 'discussion', null, 'Third', 'bo', 'MEMBER'],
      ['7', 'review', 'approved', 'Good', 'ida', null],
    ]);
    const { body, headers } = await get('/pulls/3?limit=1&offset=1');
    assert.deepEqual([body.comments[0].body, body.total, body.hasMore, body.nextOffset], ['Second', 4, true, 2]);
    assert.match(headers.get('link') ?? '', /pulls\/3\?limit=1&offset=2>; rel="next"/);
  });

  await t.test('an issue has its state and reason', async () => {
    const { status, body } = await get('/issues/5');
    assert.deepEqual([status, body.number, body.title, body.state], [200, 5, 'It leaks', 'closed']);
    assert.deepEqual([body.stateReason, body.author, body.comments], [null, { handle: 'grace', bot: false }, []]);
  });

  await t.test('lists have the fields of the single objects, and filters', async () => {
    const all = (await get('/pulls?limit=3')).body;
    assert.deepEqual([all.pulls.map(({ number }: { number: number }) => number), all.total], [[4, 3, 2], 4]);
    assert.deepEqual([all.hasMore, all.nextOffset, all.nextCursor], [true, 3, null]);
    const fixes = (await get('/pulls?label=Type%3A%20Fix&state=merged&base=main')).body;
    const { body: _, comments: _comments, total: _total, hasMore, nextOffset, ...three } = (await get('/pulls/3')).body;
    assert.deepEqual(fixes, { pulls: [three], total: 1, hasMore, nextOffset, nextCursor: null });
    const issue = (await get('/issues?state=closed')).body.issues[0];
    assert.deepEqual([issue.number, issue.title, issue.author.handle], [5, 'It leaks', 'grace']);
    assert.equal((await get('/issues?state=open')).body.total, 0);
    const refused: [string, string][] = [
      ['/pulls?state=draft', 'state'],
      ['/issues?state=merged', 'state'],
      ['/issues?base=main', 'base'],
      ['/pulls?label=', 'label'],
      ['/pulls?cursor=x', 'cursor'],
    ];
    for (const [wrong, field] of refused) {
      const reply = await get(wrong);
      assert.deepEqual([reply.status, Object.keys(reply.body.details)], [400, [field]], wrong);
    }
  });

  await t.test('unknown numbers and other organizations get 404, other texts 400', async () => {
    for (const absent of ['/pulls/99', '/pulls/5', '/issues/3', '/issues/2147483647']) {
      const { status, body } = await get(absent);
      assert.deepEqual([status, body.error], [404, 'Not found'], absent);
    }
    for (const wrong of ['/pulls/0', '/pulls/x', '/issues/1.5', '/issues/2147483648', '/issues/-1']) {
      const { status, body } = await get(wrong);
      assert.equal(status, 400, wrong);
      assert.match(body.details.number, /^expected an integer from 1 to 2147483647, got "/);
    }
    const other = service.tidings('keys', 'create', '--org', 'moon', '--name', 'k', '--quiet').trim();
    for (const foreign of ['/pulls', '/issues', '/pulls/3', '/issues/5', '/pulls/x'])
      assert.equal((await get(foreign, other)).status, 404);
  });

  await t.test('commands in comments change the draft', async () => {
    const rangeId = (await createTagRange(service, repoId)).body.id;
    const reasons = async () => {
      const { body } = await service.api('GET', `/api/ranges/${rangeId}/changes`);
      return body.changes.map(({ number, reason, section, kindBy, detail }: Record<string, string>) =>
        [number, reason, section ?? detail, kindBy].filter((each) => each !== undefined).join(' '),
      );
    };
    const before = await generateDraft(service, rangeId, 'customer');
    assert.match(before.bodyMd, /^## Fixed\n\n- It leaks/m);
    const member = { author_association: 'MEMBER' };
    await comment(service, 3, 'created', { id: 20, body: 'Good:\n/note The tank is tight.\n/kind feature', ...member });
    await comment(service, 3, 'created', { id: 21, body: '/note Hacked', author_association: 'NONE' });
    await comment(service, 4, 'created', { id: 23, body: '/note none', ...member });
    await comment(service, 4, 'deleted', { id: 23, body: '/note none', ...member });
    // Deliveries fold in order, so the effect of the last one shows that all of them are folded.
    await comment(service, 2, 'created', { id: 22, body: '/note none', ...member });
    await waitUntil('the commands count', async () => (await reasons())[0] === '2 command /note none');
    const commanded = ['2 command /note none', '3 listed feature command', '4 listed breaking label', '5 linked #3'];
    assert.deepEqual(await reasons(), commanded);
    const because = await waitUntil('the draft is outdated by the last comment', async () => {
      const { outdatedBecause } = (await service.api('GET', `/api/drafts/${before.id}`)).body;
      return outdatedBecause.some(({ number }: { number: number }) => number === 2) && outdatedBecause;
    });
    assert.deepEqual(because.map(({ number, what }: { number: number; what: string }) => `${number} ${what}`).sort(), [
      '2 command',
      '3 command',
    ]);
    const after = await generateDraft(service, rangeId, 'customer');
    assert.match(after.bodyMd, /^## New\n\n- The tank is tight/m);
    assert.doesNotMatch(after.bodyMd, /Faster start|Hacked|It leaks/);
    await comment(service, 3, 'edited', { id: 20, body: '/area fuel', at: '2026-01-05T00:00:00Z', ...member });
    await waitUntil('the edited comment counts', async () => (await reasons())[1] === '3 listed fix label');
    assert.match((await generateDraft(service, rangeId)).bodyMd, /^- \*\*fuel:\*\* No more leaks/m);
    const { body } = await get('/pulls/3?limit=100');
    const [edited] = body.comments.filter(({ id }: { id: string }) => id === '20');
    assert.deepEqual([edited.body, edited.association], ['/area fuel', 'MEMBER']);
  });

  await t.test('the note of a pull request is shown and checked before the merge', async () => {
    const open = { state: 'open', merged: false, merged_at: null, closed_at: null, merge_commit_sha: null };
    await service.deliver('pull_request', pullPayload(8, { title: 'feat: add skis', ...open }, {}, 'opened'));
    await waitUntil('the pull request is captured', async () => (await get('/pulls/8')).status === 200);
    const settings = { noteCheck: { mode: 'require', need: ['type', 'note'], exempt: { authors: ['renovate[bot]'] } } };
    const put = await service.api('PUT', `${path}/settings`, settings);
    assert.deepEqual(put.body.noteCheck, {
      ...{ mode: 'require', need: ['type', 'note'], noteFor: ['breaking', 'feature'], comment: false },
      exempt: { authors: ['renovate[bot]'], labels: [] },
    });
    const { status, body } = await get('/pulls/8/note');
    assert.deepEqual([status, body.verdict.state, body.verdict.missing], [200, 'failure', ['note']]);
    assert.deepEqual([body.number, body.included, body.section, body.kindBy], [8, true, 'feature', 'prefix']);
    assert.deepEqual(body.lines.customer, [{ heading: 'New', markdown: '- Add skis' }]);
    const author_association = 'COLLABORATOR';
    await comment(service, 8, 'created', { id: 30, body: '/note It lands on snow.', author_association });
    const after = await waitUntil('the note is there', async () => {
      const reply = await get('/pulls/8/note');
      return reply.body.verdict.state === 'success' && reply.body;
    });
    assert.deepEqual(after.lines.customer, [{ heading: 'New', markdown: '- It lands on snow.' }]);
    assert.match(after.lines.engineer[0].markdown, /^- Add skis \(\[#8\].*\n {2}> It lands on snow\.$/);
    const left = (await get('/pulls/2/note')).body;
    assert.deepEqual([left.included, left.reason, left.detail], [false, 'command', '/note none']);
    assert.deepEqual(left.lines, { engineer: [], internal: [], customer: [] });
    assert.deepEqual([(await get('/pulls/99/note')).status, (await get('/pulls/x/note')).status], [404, 400]);
    const wrong = {
      noteCheck: { mode: 'maybe', need: ['luck'], noteFor: ['commits'], exempt: { authors: '' }, comment: 1 },
    };
    const refused = await service.api('PUT', `${path}/settings`, wrong);
    assert.equal(refused.status, 400);
    const fields = ['mode', 'need.0', 'noteFor.0', 'exempt.authors', 'comment'];
    assert.deepEqual(Object.keys(refused.body.details).sort(), fields.map((field) => `noteCheck.${field}`).sort());
  });

  await t.test('no failure was logged', () => {
    assert.deepEqual(faultsIn(service.log), []);
  });
});
