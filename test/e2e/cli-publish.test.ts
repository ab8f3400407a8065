/**
 * Tests publishing by command line. Drafts, webhook endpoints and connections of channels work as in the API. No output
 * contains a secret.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../helpers/ports.ts';
import { startWorkspaceChat } from '../helpers/receivers/workspace-chat.ts';
import { createTagRange, deliverRocket, generateDraft, publicationEnded } from '../helpers/rocket.ts';
import { startService } from '../helpers/service.ts';

test('the command line publishes drafts and manages channels', async (t) => {
  const chat = await startWorkspaceChat(t);
  const env = { TIDINGS_EGRESS_ALLOW: '127.0.0.1', TIDINGS_EGRESS_ALLOW_HTTP: 'true' };
  const service = await startService(t, { env });
  const rangeId = (await createTagRange(service, await deliverRocket(service))).body.id;
  const { id: draftId } = await generateDraft(service, rangeId);
  const { orgId } = (await service.api('GET', '/api/repos')).body.repos[0];
  const folder = temporaryFolder(t);
  const file = (name: string, content: unknown): string => {
    writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
    return join(folder, name);
  };

  /**
   * Publishes the draft by command line. The command waits a few seconds only, so on a busy machine it can end before
   * the publication. The same command then shows the result, and publishes nothing.
   */
  const publish = async (channel: string) => {
    const ran = await service.run('publish', draftId, '--channel', channel);
    const [, id] = /^(pub_\w+) {2}processing\b/.exec(ran.output) ?? [];
    if (id === undefined) return ran;
    await publicationEnded(service, id);
    return service.run('publish', draftId, '--channel', channel);
  };

  await t.test('a draft is published, and the output contains its address', async () => {
    const { code, output } = await publish('hosted');
    assert.equal(code, 0, output);
    assert.match(output, /^pub_\w+ {2}completed {2}http:\/\/\S+\/notes\/acme\/rocket\/v1\.1\.0\/engineer\n$/);
    const again = await service.run('publish', draftId, '--channel', 'hosted');
    assert.equal(again.output, output, 'the same draft is not published twice');
  });

  await t.test('a draft that cannot be published reports the reason', async () => {
    for (const [args, code, words] of [
      [[draftId], 2, /^Expected --channel CHANNEL\. Run: tidings help publish\n$/],
      [[draftId, '--channel', 'pigeon'], 2, /^--channel: expected one of scm_releases/],
      [[draftId, '--channel', 'email', '--draft'], 1, /draft: expected false for the channel email/],
      [[draftId, '--channel', 'email'], 1, /The channel email is not connected/],
      [['draft_x', '--channel', 'email'], 3, /^Draft "draft_x" is not found/],
      [[draftId, '--channel', 'scm_releases'], 1, /^The channel scm_releases is not connected: .*TIDINGS_HOST_TOKEN/],
    ] as const) {
      const ended = await service.run('publish', ...args);
      assert.equal(ended.code, code, ended.output);
      assert.match(ended.output, words);
    }
  });

  await t.test('a channel is connected from a file, tested, used and removed', async () => {
    const settings = file('chat.json', { webhookUrl: chat.webhookUrl });
    const put = await service.run('channels', 'put', 'workspace_chat', settings, '--repo', 'acme/rocket');
    assert.deepEqual([put.code, /repository/.test(put.output), /and webhookUrl/.test(put.output)], [0, true, true]);
    const tried = await service.run('channels', 'test', 'workspace_chat', '--repo', 'acme/rocket');
    assert.equal(tried.code, 0, tried.output);
    assert.equal((await publish('workspace_chat')).code, 0);
    assert.equal(chat.messages.length, 2);
    const listed = await service.run('channels', 'list', '--repo', 'acme/rocket');
    assert.equal(listed.output.trim().split('\n').length, 8);
    assert.match((await service.run('channels', 'list', '--org', 'ACME')).output, /workspace_chat +not connected/);
    const removed = await service.run('channels', 'remove', 'workspace_chat', '--repo', 'acme/rocket');
    assert.match(removed.output, /^workspace_chat +not connected/);
    for (const { output } of [put, tried, listed, removed]) assert.ok(!output.includes(chat.webhookUrl), output);
    assert.equal((await service.run('channels', 'remove', 'workspace_chat', '--repo', 'acme/rocket')).code, 3);
  });

  await t.test('invalid settings are named without a secret', async () => {
    const bad = { webhookUrl: 'ftp://very-secret', colour: 1 };
    const put = await service.run('channels', 'put', 'office_chat', file('bad.json', bad), '--org', orgId);
    assert.equal(put.code, 1);
    assert.match(put.output, /webhookUrl: expected .*colour: unknown|colour: unknown.*webhookUrl: expected/s);
    const broken = file('broken.json', '{"webhookUrl": "https://very-secret"');
    const unread = await service.run('channels', 'put', 'office_chat', broken, '--org', orgId);
    assert.deepEqual([unread.code, /does not contain a JSON object/.test(unread.output)], [2, true]);
    assert.ok(!`${put.output}${unread.output}`.includes('very-secret'));
    for (const args of [['list'], ['put', 'hosted', '--org', 'acme'], ['list', '--org', 'a', '--repo', 'b'], ['x']])
      assert.equal((await service.run('channels', ...args)).code, 2, args.join(' '));
    assert.equal((await service.run('channels', 'test', 'changelog', '--org', 'acme')).code, 2);
  });

  await t.test('an endpoint is created, disabled, enabled, tested, rotated and deleted', async () => {
    const url = 'https://hooks.acme.example/tidings';
    const made = await service.run('webhooks', 'create', '--org', 'acme', '--url', url, '--events', 'draft.published');
    assert.equal(made.code, 0, made.output);
    const [, secret = '', id = ''] = /^(whsec_\S+)\n\nThe id of this endpoint is (ep_\w+)\./.exec(made.output) ?? [];
    const line = async () => (await service.run('webhooks', 'list', '--org', 'acme')).output;
    assert.equal(await line(), `${id}  acme  ${url}  draft.published  enabled\n`);
    assert.equal((await service.run('webhooks', 'disable', id)).code, 0);
    assert.match(await line(), /disabled \(user\)\n$/);
    assert.equal((await service.run('webhooks', 'test', id)).code, 1, 'a disabled endpoint is not tested');
    assert.equal((await service.run('webhooks', 'enable', id)).code, 0);
    assert.match((await service.run('webhooks', 'test', id)).output, /deliveries\/dlv_\w+ shows its result/);
    const rotated = await service.run('webhooks', 'rotate', id, '--overlap', '0', '--quiet');
    assert.match(rotated.output, /^whsec_\S+\n$/);
    assert.notEqual(rotated.output.trim(), secret);
    assert.equal((await service.run('webhooks', 'delete', id)).output, `${id} is deleted.\n`);
    assert.equal(await line(), 'There are no webhook endpoints.\n');
    assert.match((await service.run('webhooks', 'delete', id)).output, /^Webhook endpoint "ep_\w+" is not found/);
  });

  await t.test('an invalid endpoint is refused', async () => {
    const create = (...args: string[]) => service.run('webhooks', 'create', '--org', 'acme', ...args);
    assert.match((await create('--url', 'https://10.0.0.1/')).output, /url: expected a public address/);
    assert.equal((await create('--url', 'https://a.example/', '--events', 'draft.eaten')).code, 2);
    assert.equal((await create()).code, 2);
    assert.equal((await service.run('webhooks', 'list', 'x')).code, 2);
  });
});
