/**
 * Tests the preview of notes settings over HTTP and on the command line: the difference per range and persona is shown,
 * and nothing is written.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { applyPatch } from 'diff';
import { partitionName } from '../../src/foundation/partition-names.ts';
import type { SettingsPreview } from '../../src/protocol/settings-preview.ts';
import { Readers } from '../../src/store/readers.ts';
import { readCursor } from '../../src/store/tables/meta.ts';
import { afterwards } from '../helpers/cleanup.ts';
import { faultsIn } from '../helpers/log.ts';
import { dump } from '../helpers/partition.ts';
import { pullPayload, pushPayload, shaOf, tagPayload } from '../helpers/payloads.ts';
import { createTagRange, deliverRocket, generateDraft } from '../helpers/rocket.ts';
import { startService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const program = fileURLToPath(new URL('../../src/main.js', import.meta.url));
const mended = { titles: { fix: 'Mended' } };

test('settings are tried on the past', async (t) => {
  // After the first tick, ticks would move the cursors of all partitions while the test compares them.
  const service = await startService(t, { env: { TIDINGS_TICK_SECONDS: '3600', TIDINGS_PARTITIONS: '1' } });
  const readers = new Readers(service.dataDir);
  afterwards(t, () => readers.close());
  const repoId = await deliverRocket(service);
  const rangeId = (await createTagRange(service, repoId)).body.id;
  const draft = await generateDraft(service, rangeId);
  const settingsPath = `/api/repos/${repoId}/settings`;
  const path = `${settingsPath}/preview`;
  const preview = async (body: object) => (await service.api('POST', path, body)).body as SettingsPreview;
  const changed = ({ ranges }: SettingsPreview) =>
    ranges.map(({ personas }) => personas.filter((each) => each.changed).map(({ persona }) => persona));
  /** Returns every stored row of the repository's partition, and the last record that was folded into it. */
  const state = (): { cursor: number; rows: string } => {
    const name = partitionName(0);
    const partition = readers.fresh(name) ?? assert.fail(`${name} is not open`);
    return { cursor: readCursor(partition).seq, rows: dump(partition) };
  };

  await t.test('the unreleased changes are a range of their own, without a tag at its end', async () => {
    const { status, body } = await service.api('POST', `${path}?unreleased=true&include=text`, mended);
    assert.equal(status, 200);
    const [{ fromTag, toTag, personas }, ...others] = body.ranges;
    assert.deepEqual([fromTag, toTag, others], ['v1.1.0', null, []]);
    assert.equal(typeof personas[0].text, 'string');
    const both = await service.api('POST', `${path}?unreleased=true&toTag=v1.1.0`, mended);
    assert.equal(both.status, 400);
    assert.match(both.body.details.toTag, /expected no tag together with unreleased, got "v1\.1\.0"/);
  });

  await t.test('the reply shows the difference per range and persona', async () => {
    const { status, body } = await service.api('POST', path, mended);
    assert.equal(status, 200);
    const [{ personas, ...range }, ...others] = body.ranges;
    assert.deepEqual(others, []);
    assert.deepEqual(range, {
      fromTag: 'v1.0.0',
      toTag: 'v1.1.0',
      prCount: 3,
      issueCount: 1,
      resolution: 'commits',
    });
    const [engineer, internal, customer] = personas;
    assert.deepEqual([engineer.persona, internal.persona, customer.persona], ['engineer', 'internal', 'customer']);
    assert.deepEqual([engineer.changed, engineer.added, engineer.removed, engineer.truncated], [true, 1, 1, false]);
    assert.match(engineer.diff, /^-## Bug Fixes\n\+## Mended$/m);
    assert.deepEqual([customer.changed, customer.diff], [false, '']);
  });

  await t.test('the range of one tag is shown with the texts of its drafts', async () => {
    const { ranges } = (await service.api('POST', `${path}?toTag=v1.1.0&include=text`, mended)).body;
    assert.deepEqual([ranges.length, ranges[0].toTag], [1, 'v1.1.0']);
    assert.match(ranges[0].personas[0].text, /^## Mended$/m);
    const unknown = await service.api('POST', `${path}?toTag=v9`, mended);
    assert.equal(unknown.status, 400);
    assert.match(unknown.body.details.toTag, /^expected a tag of .* with a known commit, got "v9"$/);
    assert.equal((await service.api('POST', `${path}?include=diff`, mended)).status, 400);
  });

  await t.test('nothing is written', async () => {
    // Two records would change rows meanwhile: the first tick, which follows a second after the start, and the recount
    // that belongs to the new range, which is an effect of the outbox.
    await waitUntil('the first tick is folded and the outbox is empty', async () => {
      const { rows } = state();
      return /^retention "time"/m.test(rows) && !/^outbox /m.test(rows);
    });
    const before = state();
    assert.ok(before.rows.includes(draft.id) && before.cursor > 0);
    for (const body of [mended, { links: 'short' }, {}]) await preview(body);
    service.tidings('repos', 'settings', repoId, '--try', settingsFile(mended));
    assert.ok(state().rows === before.rows, 'a row has changed');
    assert.equal(state().cursor, before.cursor);
    await service.api('PUT', settingsPath, mended);
    assert.ok(state().rows !== before.rows, 'the comparison sees a PUT');
    await service.api('PUT', settingsPath, {});
  });

  await t.test('the diff leads to the text that the draft gets under the settings', async () => {
    const { ranges } = await preview(mended);
    await service.api('PUT', settingsPath, mended);
    const generated = await generateDraft(service, rangeId);
    assert.equal(applyPatch(draft.bodyMd, ranges[0]?.personas[0]?.diff ?? ''), generated.bodyMd);
    assert.match(generated.bodyMd, /^## Mended$/m);
    await service.api('PUT', settingsPath, {});
  });

  await t.test('the stored settings are the base, and omitted fields have their defaults', async () => {
    assert.deepEqual(changed(await preview({})), [[]]);
    await service.api('PUT', settingsPath, mended);
    assert.deepEqual(changed(await preview(mended)), [[]]);
    assert.deepEqual(changed(await preview({})), [['engineer', 'internal']]);
    await service.api('PUT', settingsPath, {});
  });

  await t.test('invalid settings are refused like in a PUT', async () => {
    const bad = { titles: { fix: '' }, customer: { bullets: -1 }, tone: 'warm' };
    const [put, tried] = [await service.api('PUT', settingsPath, bad), await service.api('POST', path, bad)];
    assert.deepEqual([tried.status, tried.body], [put.status, put.body]);
    assert.deepEqual(Object.keys(tried.body.details).sort(), ['customer.bullets', 'titles.fix', 'tone']);
  });

  await t.test('the preview needs a key that may read drafts of the repository', async () => {
    const key = (...args: string[]) => service.tidings('keys', 'create', '--name', 'k', '--quiet', ...args).trim();
    const status = async (asked: string, text: string) => (await service.api('POST', asked, {}, text)).status;
    assert.equal(await status(path, key('--org', 'acme', '--scopes', 'drafts:read')), 200);
    assert.equal(await status(path, key('--org', 'acme', '--scopes', 'repos:read,repos:write')), 403);
    assert.equal(await status(path, key('--org', 'moon')), 404);
    assert.equal(await status(path, 'nonsense'), 401);
    assert.equal(await status('/api/repos/repo_x/settings/preview', service.adminKey), 404);
    assert.equal((await service.api('GET', path)).status, 405);
  });

  await t.test('test mode replies with a made-up preview', async () => {
    const headers = {
      authorization: `Bearer ${service.adminKey}`,
      'content-type': 'application/json',
      'x-test-mode': 'true',
    };
    const tried = await fetch(service.url + path, { method: 'POST', headers, body: '{}' });
    assert.deepEqual([tried.status, tried.headers.get('x-test-mode')], [200, 'true']);
    const refused = await fetch(service.url + path, { method: 'POST', headers, body: '{"tone": "warm"}' });
    assert.equal(refused.status, 400);
  });

  await t.test('the command line shows the difference of a file', () => {
    const output = service.tidings('repos', 'settings', 'acme/rocket', '--try', settingsFile(mended));
    assert.match(
      output,
      /^v1\.0\.0 → v1\.1\.0: 3 pull requests, 1 issue; engineer \+1 -1, internal \+1 -1, customer no difference$/m,
    );
    assert.match(output, /^--- stored\/engineer\.md\n\+\+\+ given\/engineer\.md\n@@ /m);
    assert.match(output, /^-## Bug Fixes\n\+## Mended$/m);
    assert.match(output, /The drafts of 1 of 1 range would differ\. Nothing was written\.\n$/);
    assert.ok(!output.includes('\u001b'));
    const equal = service.tidings('repos', 'settings', 'acme/rocket', '--try', settingsFile({}));
    assert.match(equal, /engineer no difference, internal no difference, customer no difference$/m);
  });

  await t.test('the command line reads standard input and prints JSON', async () => {
    const { status, stdout } = tidings(JSON.stringify(mended), '--try', '-', '--json');
    assert.equal(status, 0);
    assert.deepEqual(JSON.parse(stdout), await preview(mended));
    const shown = JSON.parse(service.tidings('repos', 'settings', repoId, '--json'));
    assert.deepEqual(shown, (await service.api('GET', settingsPath)).body);
  });

  await t.test('the command line names each fault', () => {
    const bad = tidings('{"links": "none",\n "tone": "warm"}', '--try', '-');
    assert.equal(bad.status, 1);
    assert.match(bad.stderr, /tone: unknown; .*links: expected one of full, short, got "none"/);
    const broken = tidings('{"links": "full",\n "tone" "warm"}', '--try', '-');
    assert.equal(broken.status, 2);
    assert.match(
      broken.stderr,
      /^Standard input is not valid JSON: unexpected "\\"warm\\"}" at line 2, column 9\. Run:/,
    );
    assert.match(tidings('', '--try', '/none.json').stderr, /^\/none\.json cannot be read: the file does not exist\./);
  });

  await t.test('hostile texts stay plain text, and a tag without a commit is left out', async () => {
    const title = '+++ given/forged.md \u001b[2J<script>alert(1)</script>';
    await service.deliver('pull_request', pullPayload(7, { title, labels: [{ name: 'type: bug' }] }));
    await service.deliver('push', pushPayload([7], shaOf(4)));
    await service.deliver('create', { ...tagPayload('v1.3.0', 9), ref: 'v1.3.0', ref_type: 'tag' });
    await service.deliver('push', tagPayload('v1.2.0', 7));
    const { ranges } = await waitUntil('the new tag has a range', async () => {
      const answer = await preview(mended);
      return answer.ranges.length === 2 && answer;
    });
    assert.deepEqual(
      ranges.map(({ fromTag, toTag }) => `${fromTag} ${toTag}`),
      ['v1.1.0 v1.2.0', 'v1.0.0 v1.1.0'],
    );
    const diff = ranges[0]?.personas[0]?.diff ?? '';
    assert.equal(diff.split('\n').filter((line) => line.startsWith('+++ ')).length, 1);
    assert.doesNotMatch(diff, /(?<!\\)<script/);
    const output = service.tidings('repos', 'settings', repoId, '--try', settingsFile(mended));
    assert.ok(!output.includes('\u001b'));
  });

  await t.test('a repository with one tag has no ranges', async () => {
    const repository = { id: 4242, name: 'lander', full_name: 'acme/lander' };
    const pull = pullPayload(1);
    await service.deliver('pull_request', {
      ...pull,
      repository: { ...(pull as { repository: object }).repository, ...repository },
    });
    const id: string = await waitUntil('the repository is listed', async () => {
      const { repos } = (await service.api('GET', '/api/repos')).body;
      return repos.find((each: { fullName: string }) => each.fullName === 'acme/lander')?.id;
    });
    const { status, body } = await service.api('POST', `/api/repos/${id}/settings/preview`, {});
    assert.deepEqual([status, body], [200, { ranges: [] }]);
    assert.match(service.tidings('repos', 'settings', id, '--try', settingsFile({})), /has no range/);
  });

  await t.test('no failure was logged', () => {
    assert.deepEqual(faultsIn(service.log), []);
  });

  function settingsFile(settings: object): string {
    const file = join(service.dataDir, 'tried.json');
    writeFileSync(file, JSON.stringify(settings));
    return file;
  }

  function tidings(input: string, ...args: string[]) {
    return spawnSync(process.execPath, [program, 'repos', 'settings', 'acme/rocket', ...args], {
      env: service.env,
      input,
      encoding: 'utf8',
    });
  }
});
