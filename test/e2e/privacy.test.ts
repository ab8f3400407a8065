/**
 * Plants secrets and personal data in everything that a host can send. None of these may appear in a file of the data
 * directory, in the log, in the metrics or in a reply. Parts of a payload that are not captured may not appear in these
 * places either (spec part 2, rule 2).
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  issuePayload,
  pullPayload,
  pushPayload,
  repositoryPayload,
  shaOf,
  tagPayload,
  timeOf,
} from '../helpers/payloads.ts';
import { kindsOf, type Planted, plant } from '../helpers/planted-secrets.ts';
import { temporaryFolder } from '../helpers/ports.ts';
import { seeded } from '../helpers/random.ts';
import { startService, type TestService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const random = seeded(20_260_301);
const planted: Planted[] = [];

/**
 * Returns a text that contains one secret of each kind. Each secret is on a line of its own, and half of them are in
 * code blocks.
 */
function loaded(scope: 'text' | 'comment', head: string): string {
  const lines = kindsOf(scope).map((kind, i) => {
    const secret = plant(kind, random);
    planted.push(secret);
    return i % 2 === 0 ? secret.text : `\`\`\`\n${secret.text}\n\`\`\``;
  });
  return `${head}\r\n\r\n${lines.join('\r\n')}`;
}

/** Returns a name that contains one secret. */
function named(kind: string, before: string, after = ''): string {
  const secret = plant(kind, random);
  planted.push(secret);
  return before + secret.text + after;
}

/** Markers for payload fields that the service must not store. */
const marks = Array.from({ length: 12 }, (_, i) => `markofrawpayload${i}x${randomUUID().slice(0, 8)}`);
const [hunk, path, mail, pusher, former, real, file, avatar, oldSecret, patch, hook, position] = marks;
const raw = {
  diff_hunk: `@@ -1 +1 @@ ${hunk}`,
  path: `src/${path}.ts`,
  patch,
  email: `${mail}@example.org`,
  name: real,
  avatar_url: `https://x/${avatar}`,
  original_position: position,
};
const user = { login: 'ada', id: 5, type: 'User', ...raw };
const around = {
  sender: user,
  secret: oldSecret,
  pusher: { name: pusher, email: `${pusher}@example.org` },
  changes: { title: { from: former }, body: { from: `${former} ghp_${'a1B2'.repeat(9)}` } },
  hook: { config: { secret: hook } },
};

function deliveries(): [event: string, payload: object][] {
  const item = () => ({
    title: named('personal token', 'Rotate ', ' now'),
    body: loaded('text', 'What changed.'),
    user,
  });
  const labels = [{ name: named('address', 'owner: ') }];
  const said = (id: number, scope: 'comment' = 'comment') => ({
    ...raw,
    id,
    user,
    body: loaded(scope, 'I think so.'),
    created_at: timeOf(5),
    updated_at: timeOf(5),
  });
  const commit = {
    ...raw,
    author: { ...user, username: 'ada' },
    committer: user,
    added: [file],
    removed: [file],
    modified: [file],
  };
  const push = pushPayload([1], shaOf(0));
  const branch = named('payment key', 'fix/');
  return [
    ['pull_request', pullPayload(1, { ...item(), labels, head: { ref: branch }, base: { ref: 'main' } })],
    ['pull_request', pullPayload(2, { ...item(), state: 'open', merged: false, merged_at: null }, {}, 'edited')],
    ['issues', issuePayload(3, { ...item(), labels })],
    [
      'push',
      {
        ...push,
        commits: [{ ...commit, id: shaOf(1), message: loaded('text', 'Change 1 (#1)') }],
        head_commit: commit && { ...commit, id: shaOf(1), message: loaded('text', 'Head') },
      },
    ],
    [
      'push',
      {
        ...pushPayload([4], shaOf(1), branch),
        commits: [{ ...commit, id: shaOf(4), message: named('co-author', 'Change 4\n\n') }],
      },
    ],
    ['push', { ...tagPayload('v1', 1), ref: `refs/tags/${named('maps key', 'v1-')}` }],
    [
      'create',
      { ref: named('own key', 'v2/'), ref_type: 'tag', repository: repositoryPayload({ pushed_at: timeOf(5) }) },
    ],
    ['issue_comment', { ...issuePayload(3, item()), action: 'created', comment: said(11) }],
    [
      'issue_comment',
      { ...issuePayload(1, { ...item(), pull_request: { url: 'x' } }), action: 'edited', comment: said(12) },
    ],
    ['issue_comment', { ...issuePayload(3, item()), action: 'deleted', comment: said(13) }],
    [
      'pull_request_review',
      { ...pullPayload(1, item()), action: 'submitted', review: { ...said(14), state: 'approved' } },
    ],
    [
      'pull_request_approved',
      {
        ...pullPayload(1, item()),
        action: 'reviewed',
        review: { type: 'pull_request_review_approved', content: loaded('comment', 'Fine.') },
      },
    ],
    ['pull_request_review_comment', { ...pullPayload(1, item()), action: 'created', comment: said(15) }],
    [
      'label',
      {
        action: 'edited',
        label: { name: named('chat token', 'a ') },
        changes: { name: { from: named('model key', 'b ') } },
        repository: repositoryPayload(),
      },
    ],
    ['repository', { action: 'edited', repository: repositoryPayload({ description: mail }) }],
    // These payloads are incomplete, refused or ignored. The service must not log their contents either.
    ['pull_request', pullPayload(5, { ...item(), number: '5' })],
    ['issues', issuePayload(6, { ...item(), labels: [{}] })],
    [
      'release',
      { action: 'published', release: { body: loaded('text', 'Notes'), ...raw }, repository: repositoryPayload() },
    ],
    ['pull_request_review_thread', { ...pullPayload(1, item()), action: 'resolved', thread: { comments: [said(16)] } }],
    ['ping', { zen: mail, hook: { config: { secret: hook } } }],
  ];
}

/** Returns the files below a folder that contain one of the texts. Binary files are searched too. */
function filesWith(patterns: readonly string[], folder: string, list: string): string[] {
  writeFileSync(list, `${patterns.join('\n')}\n`);
  const env = { PATH: process.env.PATH, LC_ALL: 'C' };
  const { stdout, stderr } = spawnSync('grep', ['-arliFf', list, folder], { encoding: 'utf8', env });
  // A running service adds and removes files while `grep` reads the folder.
  const faults = stderr.split('\n').filter((line) => line !== '' && !line.endsWith(': No such file or directory'));
  assert.deepEqual(faults, []);
  return stdout.split('\n').filter((name) => name !== '');
}

async function answers(service: TestService): Promise<string> {
  const repos = await waitUntil('the directory lists the repository', async () => {
    const { body } = await service.api('GET', '/api/repos');
    return body.repos.length > 0 && body.repos;
  });
  const repoId = repos[0].id;
  const range = await service.api('POST', '/api/ranges', {
    repoId,
    type: 'PR_BASED',
    fromPrNumber: 1,
    toPrNumber: 9,
  });
  const texts = [repos, range.body, (await service.api('GET', `/api/repos/${repoId}/tags`)).body];
  for (const persona of ['engineer', 'internal', 'customer']) {
    const ticket = await service.api('POST', `/api/drafts/${range.body.id}/generate`, { persona });
    const draft = async () => (await service.api('GET', `/api/drafts/${ticket.body.id}`)).body;
    await waitUntil('the draft is ready', async () => (await draft()).status === 'ready');
    texts.push(await draft());
  }
  texts.push((await service.api('GET', `/api/drafts?releaseRangeId=${range.body.id}`)).body);
  assert.match(JSON.stringify(texts), /Rotate \\+\[secret\\+\] now/, 'the drafts contain the redacted titles');
  return JSON.stringify(texts);
}

test('no planted text is found anywhere', async (t) => {
  const service = await startService(t, { env: { TIDINGS_LOG_LEVEL: 'trace' } });
  const replies: string[] = [];
  for (const [event, payload] of deliveries()) {
    const { status, body } = await service.deliver(event, { ...around, ...payload });
    assert.ok([200, 202, 400].includes(status), `${event}: ${status}`);
    replies.push(JSON.stringify(body));
  }
  await service.deliver('issues', `{"action": "opened", "issue": "${named('personal token', '')}"`);
  await service.deliver('issues', JSON.stringify({ ...issuePayload(7, { body: loaded('text', 'Forged') }) }), {
    'x-hub-signature-256': `sha256=${'0'.repeat(64)}`,
  });
  await service.deliver('pull_request', pullPayload(9));
  // A 202 only means that a delivery is queued. When the last delivery is folded, all earlier ones are folded too.
  await waitUntil('everything is folded', async () =>
    (await service.run('dump', 'acme/rocket')).output.includes('Change 9'),
  );
  const read = await answers(service);
  const snapshot = service.tidings('snapshot');
  assert.match(snapshot, /p00: /);
  const metrics = await (await fetch(`${service.opsUrl}/metrics`)).text();
  const said = [...replies, read, metrics, service.log, service.tidings('dead-letters', 'list'), dumpOf(service)];

  const cores = planted.map(({ core }) => core);
  assert.ok(cores.length > 300, `${cores.length} are planted`);
  const list = join(temporaryFolder(t), 'patterns');
  const everywhere = [...cores, ...marks];
  for (const text of said)
    for (const core of everywhere) assert.ok(!text.includes(core), `${core} in ${text.slice(0, 80)}`);
  assert.deepEqual(filesWith(everywhere, service.dataDir, list), []);
  assert.notDeepEqual(filesWith(['Change 9'], service.dataDir, list), [], 'the search finds stored text');
  assert.equal(await service.stop(), 0);
  assert.deepEqual(filesWith(everywhere, service.dataDir, list), [], 'after the stop');
  for (const core of everywhere) assert.ok(!service.log.includes(core), `${core} in the log`);
});

function dumpOf(service: TestService): string {
  return service.tidings('dump', 'acme/rocket');
}
