/** Runs the step of the action for CI as a runner does, on a real service. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { stepOf } from '../helpers/action.ts';
import { tagPayload } from '../helpers/payloads.ts';
import { freePort, temporaryFolder } from '../helpers/ports.ts';
import { deliverRocket } from '../helpers/rocket.ts';
import { startService } from '../helpers/service.ts';

test('the step of the action makes and publishes the notes of a tag', async (t) => {
  const service = await startService(t);
  const repoId = await deliverRocket(service);
  const scopes = ['repos:read', 'ranges:read', 'ranges:write', 'drafts:read', 'drafts:write', 'publish:write'];
  const { key } = (await service.api('POST', '/api/keys', { name: 'ci', org: 'acme', scopes })).body;
  const folder = temporaryFolder(t);
  const [summaryFile, outputFile] = [join(folder, 'summary.md'), join(folder, 'output')];

  /** Runs the step in a workflow of the tag v1.1.0. */
  const run = async (inputs: Record<string, string> = {}, github: Record<string, string> = {}) => {
    for (const file of [summaryFile, outputFile]) rmSync(file, { force: true });
    const { command, env } = stepOf({ url: service.url, 'api-key': key, ...inputs });
    const workflow = {
      GITHUB_REPOSITORY: 'acme/rocket',
      GITHUB_REF: 'refs/tags/v1.1.0',
      GITHUB_STEP_SUMMARY: summaryFile,
      GITHUB_OUTPUT: outputFile,
      ...github,
    };
    const child = spawn('sh', ['-e', '-c', command], {
      env: { PATH: process.env.PATH ?? '', ...workflow, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    assert.equal(stderr, '');
    const read = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');
    const outputs = Object.fromEntries(
      [...read(outputFile).matchAll(/^([\w-]+)<<(end-\S+)\n([\s\S]*?)\n\2$/gm)].map(([, name, , value]) => [
        name,
        value,
      ]),
    );
    assert.ok(![stdout, read(summaryFile), read(outputFile)].some((each) => each.includes(key)), 'no key is shown');
    return { code, stdout, outputs, summary: read(summaryFile) };
  };

  await t.test('the notes are published, and are in the summary and the outputs', async () => {
    const { code, stdout, outputs, summary } = await run({ publish: 'hosted', personas: 'customer, engineer' });
    assert.equal(code, 0, stdout);
    const urls = (outputs.urls as string).split('\n');
    assert.equal(urls.length, 2);
    for (const url of urls) {
      assert.equal((await fetch(url)).status, 200);
      assert.ok(stdout.includes(`on hosted: completed ${url}`) && summary.includes(`<${url}>`), url);
    }
    const { ranges } = (await service.api('GET', `/api/ranges?repoId=${repoId}`)).body;
    assert.deepEqual([ranges.length, ranges[0].id, ranges[0].fromTag], [1, outputs['range-id'], 'v1.0.0']);
    assert.match(outputs.notes as string, /New fuel format/);
    assert.match(
      summary,
      /^# acme\/rocket v1\.0\.0\.\.v1\.1\.0\n[^<]*<http[^<]*<http[^<]*<details open><summary>customer</,
    );
    assert.doesNotMatch(`${outputs.notes}${summary}`, /<!-- rn:/);
  });

  await t.test('the step waits for the webhook of its tag, and uses the same range again', async () => {
    const running = run({ personas: 'internal' }, { GITHUB_REF: 'refs/tags/v1.2.0' });
    await pause(1500);
    await service.deliver('push', tagPayload('v1.2.0', 4));
    const { code, stdout, summary } = await running;
    assert.equal(code, 0, stdout);
    assert.match(summary, /^# acme\/rocket v1\.1\.0\.\.v1\.2\.0\n/);
    assert.equal((await run({ personas: 'internal' })).code, 0);
    assert.equal((await service.api('GET', `/api/ranges?repoId=${repoId}`)).body.total, 2);
  });

  await t.test('wrong inputs exit with 2, and unknown objects with 3', async () => {
    const failing: [Record<string, string>, Record<string, string>, number, RegExp][] = [
      [{ url: 'notes.example' }, {}, 2, /^::error::url: expected the address/m],
      [{ 'api-key': '' }, {}, 2, /^::error::api-key: expected an API key/m],
      [{}, { GITHUB_REF: 'refs/heads/main' }, 2, /^::error::to: expected a tag/m],
      [{ personas: 'engineers' }, {}, 2, /^::error::personas: expected some of engineer, internal, customer/m],
      [{ draft: 'yes' }, {}, 2, /^::error::draft: expected true or false/m],
      [{ timeout: '5s' }, {}, 2, /^::error::timeout: expected a positive number/m],
      [{ repository: 'acme/nowhere' }, {}, 3, /^::error::The service does not know the repository acme\/nowhere/m],
      // The step needs some of this time for its first requests, and a busy machine needs more of it.
      [{ to: 'v9.0.0', timeout: '4' }, {}, 3, /^::error::The service does not know the tag v9\.0\.0 of acme\/rocket/m],
      [{ to: 'v1.0.0' }, {}, 3, /^::error::acme\/rocket has no release before v1\.0\.0/m],
      [{ publish: 'email', personas: 'customer' }, {}, 1, /^::error::POST \/api\/publish: The channel email is not/m],
      [{ 'api-key': 'rn_live_wrong' }, {}, 1, /^::error::GET \/api\/repos/m],
      [{ url: `http://127.0.0.1:${await freePort()}`, timeout: '1' }, {}, 1, /does not answer/],
    ];
    for (const [inputs, github, expected, words] of failing) {
      const { code, stdout } = await run(inputs, github);
      assert.equal(code, expected, stdout);
      assert.match(stdout, words);
    }
  });

  await t.test('a draft with conflicts exits with 4 and is not published', async () => {
    const rangeId = (await run({ personas: 'engineer' })).outputs['range-id'];
    const [draft] = (await service.api('GET', `/api/drafts?releaseRangeId=${rangeId}&persona=engineer`)).body.drafts;
    const bodyMd = draft.bodyMd.replace('No more leaks', 'The tank is tight now');
    assert.equal((await service.api('PATCH', `/api/drafts/${draft.id}`, { bodyMd })).status, 200);
    const labels = { 'type: bug': { skip: true } };
    assert.equal((await service.api('PUT', `/api/repos/${repoId}/settings`, { labels })).status, 200);
    const before = (await service.api('GET', `/api/publications?draftId=${draft.id}`)).body.total;
    const { code, stdout, summary } = await run({ personas: 'engineer', publish: 'hosted' });
    assert.equal(code, 4, stdout);
    assert.match(
      stdout,
      /^::error::Drafts with conflicts, so nothing was published: draft_\w+: The tank is tight now/m,
    );
    assert.match(summary, /\*\*Conflicts in the draft for engineer readers: 1\*\*/);
    assert.equal((await service.api('GET', `/api/publications?draftId=${draft.id}`)).body.total, before);
  });
});
