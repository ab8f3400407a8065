/**
 * Tests the backfill of a repository's older history over a host's REST API. The result is complete and equals the
 * history from webhooks, even if the host fails or changes during the backfill.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { byWebhooks, comparable, ended, mergedBetween, theRepository } from '../helpers/backfill.ts';
import { TestApp } from '../helpers/host/app.ts';
import { buildHistory, timeOfNumber } from '../helpers/host/build.ts';
import { deliveriesOf, pullDeliveries } from '../helpers/host/deliveries.ts';
import { held, redirect, secondaryLimit, slow, status } from '../helpers/host/faults.ts';
import type { History } from '../helpers/host/history.ts';
import { startHost, type TestHostOptions } from '../helpers/host/server.ts';
import { temporaryFolder } from '../helpers/ports.ts';
import { startService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const small = {
  TIDINGS_PARTITIONS: '2',
  TIDINGS_WORKERS: '1',
  TIDINGS_RENDER_THREADS: '1',
  TIDINGS_TAG_SYNC_HOURS: '0',
};

async function start(
  t: TestContext,
  history: History,
  options: TestHostOptions = { token: 'secret-token' },
  env: Record<string, string> = {},
) {
  const host = await startHost(t, history, options);
  const service = await startService(t, { env: { ...small, ...host.env, ...env } });
  return { host, service };
}

test('a backfill fetches the same history as webhooks', async (t) => {
  const { host, service } = await start(t, buildHistory({ numbers: 290 }));
  // While the service reads the second page, a pull request moves from the third page to the front of the list.
  host.fail(/GET .*\/pulls\?.*page=2/, (_response, answer) => {
    answer();
    Object.assign(host.history.pulls[2] ?? assert.fail(), { title: 'Moved meanwhile', updatedAt: timeOfNumber(400) });
  });
  const { code, output } = await service.run('backfill', 'acme/rocket');
  assert.equal(code, 0, output + service.log);
  const { pulls, issues, issueComments, reviewComments, reviews, tags, releases, commits } = host.history;
  const comments = issueComments.length + reviewComments.length;
  const texts = [`${pulls.length} pulls`, `${issues.length} issues`, `${tags.length} tags`];
  const rest = [`${releases.length} releases`, `${commits.size} commits`, `${comments} comments`];
  const expected = [...texts, ...rest, `${reviews.length} reviews`].join(', ');
  assert.ok(output.includes(`The backfill is completed: ${expected}.`), output);
  const repoId = await theRepository(service);
  assert.deepEqual(comparable(service.tidings('dump', repoId)), comparable(await byWebhooks(t, host)));
  assert.match(service.tidings('dump', repoId), /Moved meanwhile/);
  const counts = reactionsOf(service.tidings('dump', repoId));
  for (const { number } of issues) assert.equal(counts.get(`issue ${number}`), number % 5);
  for (const { number } of pulls) assert.equal(counts.get(`pull ${number}`), number % 5 || undefined);
  assert.equal(host.busiest, 1, 'one request at a time');
  assert.ok(host.asked(/GET .*\/repositories\/4711\/pulls\?.*page=3/).length > 0, 'pages use the host’s own address');

  // If the captured history is complete, a range does not need a comparison by the host.
  host.fail(/compare/, status(404), { times: 3 });
  for (const [fromTag, toTag] of [
    ['v1.0.0', 'v2.0.0'],
    ['v1.0.0', 'v1.0.1'],
    ['v1.0.1', 'nightly/2026-02-01'],
  ] as const) {
    const { body } = await service.api('POST', '/api/ranges', { type: 'TAG_BASED', repoId, fromTag, toTag });
    const expected = mergedBetween(host.history, fromTag, toTag);
    assert.deepEqual([body.resolution, body.prCount], ['commits', expected.length], `${fromTag}...${toTag}`);
  }
  assert.ok(!service.log.includes('secret-token'));
});

/** Returns the number of reactions in each line of a dump, by kind and number of the record. */
function reactionsOf(dump: string): Map<string, number | undefined> {
  const records = dump.split('\n').flatMap((line) => (line === '' ? [] : JSON.parse(line)));
  return new Map(records.map(({ record, number, reactions }) => [`${record} ${number}`, reactions]));
}

test('a backfill completes a repository that was known by its name only, and adopts its number', async (t) => {
  const { service } = await start(t, buildHistory({ numbers: 30 }));
  const pull_request = { number: 900, title: 'Told by name', state: 'closed', merged: true, user: { login: 'ada' } };
  const delivery = { action: 'closed', pull_request, repository: { full_name: 'acme/rocket' } };
  assert.equal((await service.deliver('pull_request', delivery)).status, 202);
  const repoId = await theRepository(service);
  const { code, output } = await service.run('backfill', 'acme/rocket');
  assert.equal(code, 0, output + service.log);
  const { repos } = (await service.api('GET', '/api/repos')).body;
  assert.deepEqual(
    repos.map(({ id, scmRepoId }: { id: string; scmRepoId: number | null }) => [id, scmRepoId]),
    [[repoId, 4711]],
  );
  const bounds = { repoId, type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 900 };
  assert.ok((await service.api('POST', '/api/ranges', bounds)).body.prCount > 1);
  assert.equal((await service.api('GET', '/api/orgs')).body.total, 1);
});

test('a backfill continues after faults of the host', async (t) => {
  const { host, service } = await start(t, buildHistory({ numbers: 60, formerNames: ['acme/old-rocket'] }));
  // With bodies of this length, one page of pull requests is stored as several records.
  for (const pull of host.history.pulls) pull.body = `${'Long text. '.repeat(5000)}\n\nFixes #4`;
  const token = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;
  host.history.branches.set(`release/${token}`, host.history.branches.get('release/1.x') as string);
  host.history.branches.delete('release/1.x');
  host.fail(/GET .*\/issues\?/, secondaryLimit(1), { times: 1 });
  host.fail(/GET .*\/pulls\?/, status(500), { times: 2 });
  host.fail(/GET .*\/issues\/comments/, status(502), { times: 1 });
  host.fail(/GET .*\/tags\?/, redirect(307, `${host.apiUrl}/repositories/4711/tags?per_page=100`), { times: 1 });
  const { code, output } = await service.run('backfill', 'acme/old-rocket');
  assert.equal(code, 0, output + service.log);
  assert.match(output, /waited \d+ s for the host/);
  const repoId = await theRepository(service);
  const { body } = await service.api('GET', `/api/repos/${repoId}/backfill`);
  assert.ok(body.waits.count >= 3 && body.waits.seconds >= 2, JSON.stringify(body.waits));
  assert.ok((await service.metric('tidings_host_wait_seconds_total')) >= 2);
  assert.ok((await service.metric('tidings_host_items_total')) > 60);
  const dump = service.tidings('dump', repoId);
  assert.match(dump, /"branch":"release\//);
  assert.ok(!dump.includes(token), 'a branch name can contain a secret');
  assert.deepEqual(comparable(dump), comparable(await byWebhooks(t, host)));
});

test('a second backfill requests only what is new', async (t) => {
  const { host, service } = await start(t, buildHistory({ numbers: 150 }));
  await service.run('backfill', 'acme/rocket');
  const repoId = await theRepository(service);
  const first = service.tidings('dump', repoId);
  const before = host.seen.length;
  assert.equal((await service.run('backfill', 'acme/rocket')).code, 0);
  const again = host.seen.slice(before);
  const unchanged = again.filter((request) => request.status === 304).map(({ url }) => url.replace(/\?.*/, ''));
  assert.deepEqual(unchanged.map((url) => url.split('/rocket/')[1]).sort(), [
    'issues',
    'issues/comments',
    'pulls',
    'pulls/comments',
    'tags',
  ]);
  assert.ok(again.length < 15, `${again.length} requests`);
  assert.equal(service.tidings('dump', repoId), first);

  const pull = host.history.pulls[0] ?? assert.fail();
  Object.assign(pull, { title: 'Retitled long after', updatedAt: timeOfNumber(500) });
  const since = host.seen.length;
  await service.run('backfill', 'acme/rocket');
  assert.ok(host.seen.length - since < 15, `${host.seen.length - since} requests`);
  assert.match(service.tidings('dump', repoId), /Retitled long after/);
});

test('a delivery takes precedence over data read in the same second', async (t) => {
  const { host, service } = await start(t, buildHistory({ numbers: 120 }));
  const issues = held();
  host.fail(/GET .*\/issues\?/, issues.fault);
  const running = service.run('backfill', 'acme/rocket');
  await waitUntil('the issues are asked for', () => host.asked(/\/issues\?/).length > 0);
  for (const number of [1, 2, 118, 119]) {
    const delivery = pullDeliveries(host.history, host.place, number).at(-1) ?? assert.fail();
    const pull = { ...(delivery.payload.pull_request as object), title: `Live ${number}` };
    const { status } = await service.deliver('pull_request', { ...delivery.payload, pull_request: pull });
    assert.equal(status, 202);
  }
  const issue = deliveriesOf(host.history, host.place).findLast(({ event }) => event === 'issues') ?? assert.fail();
  const renamed = { ...(issue.payload.issue as object), title: 'Live issue' };
  assert.equal((await service.deliver('issues', { ...issue.payload, issue: renamed })).status, 202);
  issues.release();
  assert.equal((await running).code, 0);
  const dump = service.tidings('dump', await theRepository(service));
  assert.equal(dump.match(/"title":"Live /g)?.length, 5);
});

for (const part of ['worker', 'all'] as const) {
  test(`a backfill continues after a kill of ${part === 'worker' ? 'the worker' : 'the whole service'}`, async (t) => {
    const host = await startHost(t, buildHistory({ numbers: 220 }), { token: 'secret-token' });
    host.fail(/GET /, slow(10), { times: 100_000 });
    let service = await startService(t, { env: { ...small, ...host.env } });
    await service.run('backfill', 'acme/rocket', '--no-wait');
    const repoId = await theRepository(service);
    let percent = 0;
    for (const goal of part === 'worker' ? [10, 35, 50, 75] : [20, 60]) {
      await waitUntil(`${goal} percent`, async () => {
        const { body } = await service.api('GET', `/api/repos/${repoId}/backfill`).catch(() => ({ body: { percent } }));
        assert.ok((body.percent ?? percent) >= percent, 'the percentage never decreases');
        percent = body.percent ?? percent;
        return percent >= goal;
      });
      if (part === 'worker') {
        await service.killParts('worker');
        continue;
      }
      await service.killParts('supervisor', 'worker', 'gateway', 'nats-server');
      await service.exit();
      service = await startService(t, { env: { ...small, ...host.env }, dataDir: service.dataDir });
    }
    const state = await ended(service, repoId);
    assert.deepEqual([state.state, state.percent], ['completed', 100]);
    assert.deepEqual(comparable(service.tidings('dump', repoId)), comparable(await byWebhooks(t, host)));
    const lists = host.asked(/GET .*\/(pulls|issues|issues\/comments)\?/);
    assert.ok(lists.length < 30, `${lists.length} pages of lists: no page is read twice`);
    assert.equal(await service.metric('tidings_fold_dead_letters_total'), 0);
  });
}

test('a request returns the running backfill, and another cancels it', async (t) => {
  const { host, service } = await start(t, buildHistory({ numbers: 60 }));
  const reviews = held();
  host.fail(/GET .*\/reviews/, reviews.fault, { times: 1000 });
  await service.run('backfill', 'acme/rocket', '--no-wait', '--since', '2026-01-06');
  const repoId = await theRepository(service);
  const path = `/api/repos/${repoId}/backfill`;
  const running = await service.api('GET', path);
  const { backfill } = (await service.api('GET', `/api/repos/${repoId}?include=backfill`)).body;
  assert.deepEqual([backfill.id, backfill.state], [running.body.id, 'running']);
  assert.deepEqual([running.body.state, running.body.since], ['running', '2026-01-06']);
  const again = await service.api('POST', path, {});
  assert.deepEqual([again.status, again.body.id], [202, running.body.id]);
  const cancelled = await service.api('DELETE', path);
  assert.deepEqual([cancelled.status, cancelled.body.state], [200, 'cancelled']);
  await waitUntil('no backfill is running', async () => (await service.metric('tidings_backfills_under_way')) === 0);
  reviews.release();
  const asked = host.seen.length;
  const fresh = await service.api('POST', path, { since: '2026-01-06' });
  assert.notEqual(fresh.body.id, running.body.id);
  assert.equal((await ended(service, repoId)).state, 'completed');
  assert.ok(host.seen.length > asked);
  const { body } = await service.api('GET', path);
  assert.ok(body.counts.reviews > 0);
  assert.match((await service.run('backfill', 'acme/rocket', '--cancel')).output, /last one is completed/);
});

test('a backfill reads nothing older than the given date', async (t) => {
  const { host, service } = await start(t, buildHistory({ numbers: 150 }));
  await service.run('backfill', 'acme/rocket', '--since', '2026-01-10');
  const repoId = await theRepository(service);
  const records = service
    .tidings('dump', repoId)
    .split('\n')
    .flatMap((line) => (line === '' ? [] : JSON.parse(line)));
  const since = Date.UTC(2026, 0, 10);
  const pulls = records.filter(({ record }) => record === 'pull');
  assert.equal(pulls.length, host.history.pulls.filter(({ updatedAt }) => updatedAt >= since).length);
  assert.ok(records.every(({ record, updatedAt }) => record === 'tag' || (updatedAt ?? since) >= since));
  // This backfill has no start date. It reads the whole history again and adds the branch commits that the first
  // backfill left out.
  await service.run('backfill', 'acme/rocket');
  assert.deepEqual(comparable(service.tidings('dump', repoId)), comparable(await byWebhooks(t, host)));
  const range = { type: 'TAG_BASED', repoId, fromTag: 'v1.0.0', toTag: 'v2.0.0' };
  host.fail(/compare/, status(404));
  const { body } = await service.api('POST', '/api/ranges', range);
  const expected = mergedBetween(host.history, 'v1.0.0', 'v2.0.0').length;
  assert.deepEqual([body.resolution, body.prCount], ['commits', expected]);
});

test('a failed backfill reports the reason', async (t) => {
  const { host, service } = await start(
    t,
    buildHistory({ numbers: 30 }),
    { token: 'secret-token' },
    {
      TIDINGS_HOST_TOKEN: 'another-token',
    },
  );
  const refused = await service.run('backfill', 'acme/rocket');
  assert.equal(refused.code, 1);
  assert.match(refused.output, /401.*token or app has no permission to read/s);
  const delivery = deliveriesOf(host.history, host.place)[0] ?? assert.fail();
  await service.deliver(delivery.event, delivery.payload);
  const repoId = await theRepository(service);
  const path = `/api/repos/${repoId}/backfill`;
  assert.equal((await service.api('GET', path)).status, 404);
  assert.equal((await service.api('DELETE', path)).status, 404);
  const bad = await service.api('POST', path, { since: '2999-01-01' });
  assert.deepEqual([bad.status, Object.keys(bad.body.details)], [400, ['since']]);
  assert.equal((await service.api('POST', path, {})).status, 202);
  const failed = await ended(service, repoId);
  assert.equal(failed.state, 'failed');
  assert.match(failed.error, /401/);
  assert.ok(!service.log.includes('another-token'));

  await service.api('PATCH', `/api/repos/${repoId}`, { selected: false });
  const unwanted = await service.api('POST', path, {});
  assert.deepEqual([unwanted.status, unwanted.body.error], [409, 'Conflict']);
  assert.match(unwanted.body.message, /unselected/);
  assert.match(
    (await service.run('backfill', 'acme/nothing', '--host', 'https://x.example')).output,
    /expected one of/,
  );
  const missing = await service.run('backfill', 'acme/nothing', '--since', 'yesterday');
  assert.deepEqual([missing.code, /--since/.test(missing.output)], [2, true]);
});

test('a backfill stops when its repository is unselected', async (t) => {
  const { host, service } = await start(t, buildHistory({ numbers: 60 }));
  const reviews = held();
  host.fail(/GET .*\/reviews/, reviews.fault, { times: 1000 });
  await service.run('backfill', 'acme/rocket', '--no-wait');
  const repoId = await theRepository(service);
  await waitUntil('reviews are asked for', () => host.asked(/\/reviews/).length > 0);
  assert.equal((await service.api('PATCH', `/api/repos/${repoId}`, { selected: false })).status, 200);
  reviews.release();
  const { state, error } = await ended(service, repoId);
  assert.equal(state, 'failed');
  assert.match(error, /unselected/);
});

test('a backfill reads as an app and renews the app’s token', async (t) => {
  const app = new TestApp(temporaryFolder(t));
  const { host, service } = await start(t, buildHistory({ numbers: 60 }), { app });
  const installation = { id: Number(app.installationId), account: { login: 'acme', id: 77 } };
  const repositories = [{ id: host.history.id, full_name: 'acme/rocket', private: false }];
  await service.deliver('installation', { action: 'created', installation, repositories });
  const repoId = await theRepository(service);
  host.fail(/GET .*\/issues\?/, (_response, answer) => {
    app.revoke();
    answer();
  });
  const started = await service.api('POST', `/api/repos/${repoId}/backfill`, {});
  assert.equal(started.status, 202, JSON.stringify(started.body));
  assert.equal((await ended(service, repoId)).state, 'completed');
  assert.ok(app.tokens.length >= 2, `${app.tokens.length} tokens`);
  assert.ok(app.tokens.every((token) => !service.log.includes(token)));
  assert.deepEqual(comparable(service.tidings('dump', repoId)), comparable(await byWebhooks(t, host)));
});

test('a backfill reads from Gitea too', async (t) => {
  const { host, service } = await start(t, buildHistory({ numbers: 80 }), { kind: 'gitea', token: 'secret-token' });
  const { code, output } = await service.run('backfill', 'acme/rocket');
  assert.equal(code, 0, output + service.log);
  const { counts } = (await service.api('GET', `/api/repos/${await theRepository(service)}/backfill`)).body;
  const { pulls, issues, issueComments, reviews, tags, releases } = host.history;
  assert.deepEqual(counts, {
    pulls: pulls.length,
    issues: issues.length,
    tags: tags.length,
    releases: releases.length,
    commits: host.history.commits.size,
    comments: issueComments.length,
    reviews: reviews.length,
  });
});
