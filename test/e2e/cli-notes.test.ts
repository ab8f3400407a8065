/**
 * Tests `tidings notes`, `ranges`, `drafts` and `pulls` with a running service: standard output contains the notes only,
 * a range is used again, drafts are published, and each kind of failure has its exit code.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { pullPayload, pushPayload, shaOf } from '../helpers/payloads.ts';
import { deliverRocket } from '../helpers/rocket.ts';
import { startService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const program = fileURLToPath(new URL('../../src/main.js', import.meta.url));

test('the command line makes and publishes the notes of a range', async (t) => {
  const service = await startService(t);
  const repoId = await deliverRocket(service);
  const start = (...args: string[]) =>
    spawn(process.execPath, [program, ...args], { env: service.env, stdio: ['ignore', 'pipe', 'pipe'] });
  const run = async (...args: string[]) => {
    const child = start(...args);
    const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    return { code, stdout, stderr };
  };
  const span = ['acme/rocket', 'v1.0.0..v1.1.0'];
  const only = ['acme/rocket', '--range', 'v1.0.0..v1.1.0'];

  await t.test('the notes of one persona are printed, and published with their address', async () => {
    const { code, stdout, stderr } = await run('notes', ...span, '--persona', 'engineer', '--publish', 'hosted');
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^## Breaking Changes\n\n- New fuel format \(\[#4\]/);
    assert.ok(stdout.endsWith('\n**Full Changelog**: <https://github.com/acme/rocket/compare/v1.0.0...v1.1.0>\n'));
    assert.doesNotMatch(stdout, /<!--/);
    assert.match(stderr, /^drafts of acme\/rocket v1\.0\.0\.\.v1\.1\.0 +100 % +1\/1/);
    const [, url = ''] =
      /^engineer on hosted: completed {2}(http:\S+\/notes\/acme\/rocket\/v1\.1\.0\/engineer)$/m.exec(stderr) ?? [];
    assert.equal((await fetch(url)).status, 200);
  });

  await t.test('without tags, the newest releases are used, and the same range is used again', async () => {
    const { code, stdout, stderr } = await run('notes', 'acme/rocket');
    assert.equal(code, 0, stderr);
    const personas = [...stdout.matchAll(/^<!-- (\w+) -->\n\n(?=\S)/gm)].map(([, persona]) => persona);
    assert.deepEqual(personas, ['engineer', 'internal', 'customer']);
    const { ranges, total } = (await service.api('GET', `/api/ranges?repoId=${repoId}`)).body;
    assert.deepEqual([total, ranges[0].fromTag, ranges[0].toTag], [1, 'v1.0.0', 'v1.1.0']);
  });

  await t.test('ranges and drafts are listed as the API lists them', async () => {
    const { ranges, ...rest } = (await service.api('GET', `/api/ranges?repoId=${repoId}`)).body;
    const { id } = ranges[0];
    assert.deepEqual(JSON.parse((await run('ranges', 'acme/rocket', '--json')).stdout), { ranges, ...rest });
    const listed = await run('ranges', 'ACME/rocket');
    assert.match(listed.stdout, new RegExp(`^${id}  v1\\.0\\.0\\.\\.v1\\.1\\.0  pull requests: 3, issues: 1  created`));
    const drafts = (await service.api('GET', `/api/drafts?releaseRangeId=${id}`)).body;
    for (const range of [[], ['--range', id], ['--range', 'v1.0.0..v1.1.0']])
      assert.deepEqual(JSON.parse((await run('drafts', 'acme/rocket', ...range, '--json')).stdout), drafts);
    const one = await run('drafts', 'acme/rocket', '--persona', 'customer');
    assert.match(one.stdout, /^draft_\w+ {2}v1\.0\.0\.\.v1\.1\.0 {2}customer {2}ready {2}revision 1\n$/);
    assert.equal((await run('drafts', 'acme/rocket', '--outdated')).stdout, 'There are no drafts.\n');
    const json = JSON.parse((await run('notes', ...span, '--persona', 'customer', '--json')).stdout);
    assert.deepEqual([json.range, json.drafts[0].persona, json.publications], [ranges[0], 'customer', []]);
  });

  await t.test('pull requests are listed, and one of them is shown with its notes', async () => {
    const list = async (...args: string[]) => (await run('pulls', 'acme/rocket', ...args)).stdout;
    const reply = (await service.api('GET', `/api/repos/${repoId}/pulls`)).body;
    assert.deepEqual(JSON.parse(await list('--json')), reply);
    const two = await list('--limit', '2', '--state', 'merged');
    assert.match(two, /^#4 {2}merged {2}2026-01-\d\d {2}New fuel format {2}\[type: breaking\]\n#3 {2}merged {2}.*\n$/);
    assert.match(await list('--label', 'TYPE: bug', '--base', 'main'), /^#3 .*\n$/);
    assert.equal(await list('--state', 'open'), 'There are no pull requests.\n');
    const shown = await list('3');
    assert.match(
      shown,
      /^#3 {2}merged .*\nby ada, from change-3 into main\nlabels: type: bug\nhttps:\S+\/pull\/3\n\ncheck: /,
    );
    assert.match(
      shown,
      /^in the notes: yes \(listed, fix by label\)\n\nengineer\nBug Fixes:\n- No more leaks \(\[#3\]/m,
    );
    const { pull, note } = JSON.parse(await list('3', '--json'));
    assert.deepEqual(pull, (await service.api('GET', `/api/repos/${repoId}/pulls/3`)).body);
    assert.deepEqual(note, (await service.api('GET', `/api/repos/${repoId}/pulls/3/note`)).body);
  });

  await t.test('a wrong command line exits with 2, and an unknown object with 3', async () => {
    const failing: [string[], number, RegExp][] = [
      [['notes', ...span, '--persona', 'enginer'], 2, /got "enginer"\. Did you mean engineer\?/],
      [['notes', 'acme/nowhere'], 3, /^Repository "acme\/nowhere" is not known here/],
      [
        ['notes', 'acme/rocket', 'v1.0.0..v1.1.1'],
        3,
        /^acme\/rocket has no tag "v1\.1\.1"\. Did you mean v1\.[01]\.0\?/,
      ],
      [['notes', 'acme/rocket', '--tags', 'pkg@*'], 3, /fewer than two release tags that match "pkg@\*"/],
      [['drafts', 'acme/rocket', '--range', 'v1..v2'], 3, /^acme\/rocket has no range "v1\.\.v2"/],
      [['pulls', 'acme/rocket', '99'], 3, /^Pull request "99" is not found/],
      [['pulls', 'acme/rocket', 'x'], 2, /^NUMBER: expected the number of a pull request, got "x"/],
      [['pulls', 'acme/rocket', '3', '--state', 'open'], 2, /^--state: expected only without NUMBER/],
      [['pulls', 'acme/rocket', '--limit', '0'], 2, /^--limit: expected a number of pull requests from 1/],
      [['notes', ...span, '--persona', 'engineer', '--publish', 'email'], 1, /^The channel email is not connected/m],
    ];
    for (const [args, expected, words] of failing) {
      const { code, stderr } = await run(...args);
      assert.equal(code, expected, stderr);
      assert.match(stderr, words);
    }
  });

  await t.test('the notes are printed again when a person has edited them, until a signal arrives', async () => {
    const child = start('notes', ...span, '--persona', 'internal', '--watch');
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      printed += chunk;
    });
    const closed = once(child, 'close');
    await waitUntil('the notes are printed', () => printed.includes('No more leaks'));
    const [draft] = JSON.parse((await run('drafts', ...only, '--persona', 'internal', '--json')).stdout).drafts;
    await service.api('PATCH', `/api/drafts/${draft.id}`, { bodyMd: 'Only these words\n' });
    await waitUntil('they are printed again', () => printed.endsWith('Only these words\n'));
    child.kill('SIGINT');
    assert.deepEqual(await closed, [0, null]);
  });

  await t.test('the notes of what is not released are printed again after a merge, and suggest a version', async () => {
    const none = await run('version', 'acme/rocket');
    assert.deepEqual([none.code, none.stdout], [3, '']);
    assert.equal(none.stderr, 'acme/rocket has no changes to release since v1.1.0.\n');
    const merge = async (number: number, before: number, title: string, label: string) => {
      await service.deliver('pull_request', pullPayload(number, { title, labels: [{ name: label }] }));
      await service.deliver('push', pushPayload([number], shaOf(before)));
    };
    await merge(6, 4, 'Seal the hatch', 'type: bug');
    const path = `/api/repos/${repoId}/unreleased`;
    await waitUntil('the merge counts', async () => (await service.api('GET', path)).body.total === 1);
    const suggested = await run('version', 'acme/rocket');
    assert.deepEqual(suggested, { code: 0, stdout: 'v1.1.1\n', stderr: 'patch since v1.1.0: #6 fix\n' });
    const child = start('notes', 'acme/rocket', '--unreleased', '--persona', 'engineer', '--watch');
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      printed += chunk;
    });
    const closed = once(child, 'close');
    await waitUntil('the notes are printed', () => printed.includes('Seal the hatch'));
    assert.ok(!printed.includes('No more leaks'));
    await merge(7, 6, 'Night mode', 'type: feature');
    await waitUntil('they are printed again', () => printed.includes('Night mode'));
    child.kill('SIGINT');
    assert.deepEqual(await closed, [0, null]);
    const { suggestedVersion, since } = JSON.parse((await run('version', 'acme/rocket', '--json')).stdout);
    assert.deepEqual([suggestedVersion.version, suggestedVersion.bump, since.tag], ['v1.2.0', 'minor', 'v1.1.0']);
    // The range is counted again a moment after the merge, and the notes do not wait for that.
    await waitUntil('both merges are counted', async () =>
      /^range_\w+ {2}v1\.1\.0\.\.main {2}pull requests: 2,/.test((await run('ranges', 'acme/rocket')).stdout),
    );
  });

  await t.test('a draft with conflicts is printed, is not published, and exits with 4', async () => {
    const [draft] = JSON.parse((await run('drafts', ...only, '--persona', 'engineer', '--json')).stdout).drafts;
    const bodyMd = draft.bodyMd.replace('No more leaks', 'The tank is tight now');
    assert.equal((await service.api('PATCH', `/api/drafts/${draft.id}`, { bodyMd })).status, 200);
    const labels = { 'type: bug': { skip: true } };
    assert.equal((await service.api('PUT', `/api/repos/${repoId}/settings`, { labels })).status, 200);
    const { code, stdout, stderr } = await run('notes', ...span, '--persona', 'engineer', '--publish', 'hosted');
    assert.equal(code, 4, stderr);
    assert.match(stdout, /The tank is tight now/);
    assert.match(stderr, /^draft_\w+ \(engineer\): #3 left out by the label type: bug: The tank is tight now/m);
    assert.match(stderr, /^Conflicts to resolve in the drafts: 1\. Nothing was published\.$/m);
    assert.equal((await service.api('GET', `/api/publications?draftId=${draft.id}`)).body.total, 1);
  });
});
