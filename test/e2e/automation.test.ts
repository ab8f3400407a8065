/**
 * Tests the automation of a repository over HTTP: a rule is set, a tag arrives, and the notes are on their page without
 * a request. Also tests the drafts before the tag, publications that are refused, and rules that are refused.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pullPayload, pushPayload, shaOf, tagPayload } from '../helpers/payloads.ts';
import { deliverRocket, publicationEnded } from '../helpers/rocket.ts';
import { type Answer, startService, type TestService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

type Run = Answer['body'];

const onTag = {
  pattern: 'v*',
  personas: ['customer', 'engineer'],
  publish: [{ channel: 'hosted', persona: 'customer' }],
};
const unreleased = { branch: 'main', personas: ['customer'], refreshMinutes: 60 };

/** Delivers a merged pull request and the push of its commit to main. `before` is the number of the previous commit. */
async function merge(service: TestService, number: number, title: string, before = number - 1): Promise<void> {
  await service.deliver('pull_request', pullPayload(number, { title, labels: [{ name: 'type: feature' }] }));
  await service.deliver('push', pushPayload([number], shaOf(before)));
}

/** Waits until the run of a tag has ended, and returns it. */
function endOfRun(service: TestService, path: string, tag: string): Promise<Run> {
  return waitUntil(`the run of ${tag} has ended`, async () => {
    const { runs } = (await service.api('GET', path)).body;
    const run = runs.find((each: Run) => each.tag === tag);
    return run?.endedAt ? run : undefined;
  });
}

test('a tag is drafted and published by the rule of its repository', async (t) => {
  const service = await startService(t, { env: { TIDINGS_PARTITIONS: '1', TIDINGS_LOG_LEVEL: 'info' } });
  const repoId = await deliverRocket(service);
  const path = `/api/repos/${repoId}/automation`;
  const put = async (body: unknown, headers: Record<string, string> = {}, key = service.adminKey) => {
    const reply = await fetch(service.url + path, {
      method: 'PUT',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    return { status: reply.status, headers: reply.headers, body: (await reply.json()) as Answer['body'] };
  };
  const drafts = async (rangeId: string) =>
    (await service.api('GET', `/api/drafts?releaseRangeId=${rangeId}`)).body.drafts;

  await t.test('a repository has no rule at first', async () => {
    const { status, body } = await service.api('GET', path);
    assert.deepEqual([status, body], [200, { onTag: null, unreleased: null, setAt: null, problem: null, runs: [] }]);
  });

  await t.test('a rule that cannot work is refused with the names of its fields', async () => {
    const publish = [
      { channel: 'hosted', persona: 'internal' },
      { channel: 'email', persona: 'engineer', draft: true },
      { channel: 'email', persona: 'engineer' },
    ];
    const { status, body } = await put({ onTag: { ...onTag, publish }, unreleased });
    assert.equal(status, 400);
    assert.deepEqual(body.details, {
      'onTag.publish.0.persona': 'expected one of customer, engineer (onTag.personas), got "internal"',
      'onTag.publish.1.draft': 'expected false for the channel email, got true',
      'onTag.publish.2': 'expected each channel and persona once, got email for engineer readers twice',
    });
    const none = await put({ onTag: { pattern: '', personas: [] }, unreleased: { ...unreleased, branch: 'x' } });
    assert.deepEqual(Object.keys(none.body.details), ['onTag.pattern', 'onTag.personas']);
    assert.equal(none.body.details['onTag.personas'], 'expected an array of 1 to 3 different items, got an array');
    const branch = await put({ unreleased: { ...unreleased, branch: 'x' } });
    assert.equal(
      branch.body.details['unreleased.branch'],
      'expected a branch of acme/rocket that was pushed to, got "x"',
    );
  });

  await t.test('a key needs the scopes of what the rule does', async () => {
    const scopes = ['repos:read', 'repos:write', 'ranges:write', 'drafts:write'];
    const { body: key } = await service.api('POST', '/api/keys', { name: 'rules', org: 'acme', scopes });
    const refused = await put({ onTag, unreleased }, {}, key.key);
    assert.deepEqual([refused.status, refused.body.error], [403, 'Forbidden']);
    assert.match(refused.body.message, /lacks the scope publish:write, which the rule needs/);
    assert.equal((await put({ onTag: { ...onTag, publish: [] } }, {}, key.key)).status, 200);
    assert.equal((await put({}, {}, key.key)).status, 200);
  });

  await t.test('If-Match refuses a change of a rule that has changed', async () => {
    const first = await put({ onTag: { ...onTag, pattern: 'never' } });
    assert.deepEqual([first.status, first.body.onTag.pattern], [200, 'never']);
    const etag = first.headers.get('etag') as string;
    assert.equal((await put({ onTag, unreleased }, { 'if-match': etag })).status, 200);
    assert.equal((await put({}, { 'if-match': etag })).status, 412);
  });

  await t.test('drafts are made before the tag', async () => {
    const rangeId = await waitUntil('the draft before the tag is ready', async () => {
      const { ranges } = (await service.api('GET', `/api/ranges?repoId=${repoId}`)).body;
      const open = ranges.find(({ type }: { type: string }) => type === 'UNRELEASED');
      const [draft] = open ? await drafts(open.id) : [];
      return draft?.status === 'ready' && open.id;
    });
    assert.deepEqual(
      (await drafts(rangeId)).map(({ persona }: { persona: string }) => persona),
      ['customer'],
    );
  });

  let published: Answer['body'];
  await t.test('the notes of a tag are on their page without a request', async () => {
    await merge(service, 9, 'Land on a ship', 4);
    await service.deliver('push', tagPayload('v1.2.0', 9));
    const run = await endOfRun(service, path, 'v1.2.0');
    assert.deepEqual([run.status, run.problem, run.publications.length], ['completed', null, 1]);
    const range = (await service.api('GET', `/api/ranges/${run.rangeId}`)).body;
    assert.deepEqual([range.type, range.fromTag, range.toTag], ['TAG_BASED', 'v1.1.0', 'v1.2.0']);
    published = await publicationEnded(service, run.publications[0].publicationId);
    assert.equal(published.status, 'completed', JSON.stringify(published));
    const page = await (await fetch(published.url)).text();
    assert.match(page, /Land on a ship/);
    assert.deepEqual((await drafts(run.rangeId)).map(({ persona, status }: Run) => [persona, status]).sort(), [
      ['customer', 'ready'],
      ['engineer', 'ready'],
    ]);
  });

  await t.test('a tag that is sent again, or deleted and pushed again, changes nothing', async () => {
    const tag = tagPayload('v1.2.0', 9);
    await service.deliver('push', tag);
    const later = (seconds: number, fields: object) => {
      const { pushed_at, ...repository } = tag.repository as { pushed_at: number };
      return { ...tag, ...fields, repository: { ...repository, pushed_at: pushed_at + seconds } };
    };
    await service.deliver('push', later(5, { before: shaOf(9), after: '0'.repeat(40), deleted: true, created: false }));
    await service.deliver('push', later(9, {}));
    // The run of the next tag shows that these deliveries are folded.
    await merge(service, 10, 'Fly in the rain');
    await service.deliver('push', tagPayload('v1.3.0', 10));
    assert.equal((await endOfRun(service, path, 'v1.3.0')).status, 'completed');
    const { publications } = (await service.api('GET', `/api/publications?repoId=${repoId}`)).body;
    assert.equal(publications.length, 2);
    assert.ok(publications.some(({ id }: { id: string }) => id === published.id));
    const { runs } = (await service.api('GET', path)).body;
    assert.deepEqual(
      runs.map(({ tag: name }: Run) => name),
      ['v1.3.0', 'v1.2.0'],
    );
  });

  await t.test('a publication that is refused is shown with its reason', async () => {
    const publish = [{ channel: 'workspace_chat', persona: 'engineer' }, ...onTag.publish];
    assert.equal((await put({ onTag: { ...onTag, publish } })).status, 200);
    await service.deliver('push', tagPayload('v1.4.0', 11));
    await merge(service, 11, 'Land on water');
    const { status, publications } = await endOfRun(service, path, 'v1.4.0');
    assert.equal(status, 'failed');
    const [chat, hosted] = ['workspace_chat', 'hosted'].map((name) =>
      publications.find(({ channel }: { channel: string }) => channel === name),
    );
    assert.equal(chat.error, 'The channel workspace_chat is not connected: see PUT /api/channels/workspace_chat.');
    assert.deepEqual([chat.publicationId, hosted.error], [null, null]);
    assert.match(hosted.publicationId, /^pub_/);
    const ended = (of: string) => service.metric(`tidings_automation_runs_total\\{status="${of}"\\}`);
    await waitUntil(
      'the runs are counted',
      async () => (await ended('completed')) === 2 && (await ended('failed')) === 1,
    );
    assert.match(service.log, /"tag":"v1\.4\.0","reason":"workspace_chat: The channel workspace_chat is not connected/);
  });

  await t.test('the command line shows the rule and switches it off', async () => {
    const shown = JSON.parse(service.tidings('repos', 'automation', 'acme/rocket'));
    assert.deepEqual([shown.onTag.pattern, shown.runs.length], ['v*', 3]);
    const off = JSON.parse(service.tidings('repos', 'automation', 'acme/rocket', '--off'));
    assert.deepEqual([off.onTag, off.unreleased, off.runs.length], [null, null, 3]);
    const removed = await service.api('DELETE', path);
    assert.deepEqual([removed.status, removed.body.onTag], [200, null]);
  });

  await t.test('each publication by the rule has one line in the audit log', () => {
    const lines = service.log.split('\n').filter((line) => line.includes('"audit":true'));
    const byRule = lines.map((line) => JSON.parse(line)).filter(({ by }) => by === 'automation');
    assert.deepEqual(
      byRule.map(({ action, objects }) => [action, objects.channel]),
      Array(3).fill(['publishDraft', 'hosted']),
    );
  });
});
