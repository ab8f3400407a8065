/**
 * Tests channel connections over HTTP: which organization owns a connection, and how a mail recipient unsubscribes.
 * Also tests that replies contain no secrets.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createSealer, parseSealingKey } from '../../src/foundation/seal.ts';
import { addressDigest, unsubscribeToken } from '../../src/store/tables/suppressions.ts';
import { filesWith } from '../helpers/files-with.ts';
import { deliverRocket } from '../helpers/rocket.ts';
import { startService } from '../helpers/service.ts';

test('channels are connected over HTTP', async (t) => {
  const service = await startService(t);
  const repoId = await deliverRocket(service);
  const { orgId } = (await service.api('GET', '/api/repos')).body.repos[0];
  const key = (await service.api('POST', '/api/keys', { name: 'k', org: 'acme' })).body.key;
  const url = 'https://chat.example/hooks/very-secret-7f3a';
  const call = (method: string, query = '', body?: object, channel = 'workspace_chat') =>
    service.api(method, `/api/channels/${channel}${query}`, body, key);

  await t.test('all eight channels are listed', async () => {
    const { body } = await service.api('GET', '/api/channels', undefined, key);
    assert.equal(body.total, 8);
    const states = Object.fromEntries(body.channels.map((each: { channel: string }) => [each.channel, each]));
    assert.deepEqual([states.hosted.connected, states.hosted.source], [true, 'default']);
    assert.deepEqual([states.workspace_chat.connected, states.workspace_chat.source], [false, null]);
    assert.equal((await service.api('GET', '/api/channels')).status, 400, 'an instance key must name the organization');
    assert.equal((await service.api('GET', `/api/channels?orgId=${orgId}`)).body.total, 8);
    assert.equal((await call('GET', '', undefined, 'pigeon')).status, 404);
  });

  await t.test('all invalid settings are named together, without a secret', async () => {
    const { status, body } = await call('PUT', '', { settings: { webhookUrl: 'ftp://very-secret', colour: 1 } });
    assert.equal(status, 400);
    assert.deepEqual(Object.keys(body.details).sort(), ['colour', 'webhookUrl']);
    assert.ok(!JSON.stringify(body).includes('very-secret'));
    assert.equal((await call('PUT', '', { webhookUrl: url })).status, 400);
    assert.equal((await call('PUT', '', { settings: [] })).status, 400);
  });

  await t.test('a forbidden address is refused when it is saved, and the reply does not repeat it', async () => {
    const mail = { from: 'a@example.org', recipients: ['b@example.org'] };
    const token = { accessToken: 't', senderId: 1 };
    const bot = { botToken: 't', channel: 'c' };
    const cases: [string, string, object, RegExp][] = [
      ['workspace_chat', 'webhookUrl', { webhookUrl: 'https://127.0.0.1/very-secret' }, /public address/],
      ['workspace_chat', 'webhookUrl', { webhookUrl: 'https://2130706433/very-secret' }, /public address/],
      ['workspace_chat', 'webhookUrl', { webhookUrl: 'https://[::ffff:a9fe:a9fe]/very-secret' }, /public address/],
      ['workspace_chat', 'webhookUrl', { webhookUrl: 'http://chat.example/very-secret' }, /plain http/],
      [
        'workspace_chat',
        'webhookUrl',
        { webhookUrl: 'https://me:very-secret@chat.example/' },
        /user name and password/,
      ],
      ['workspace_chat', 'apiUrl', { ...bot, apiUrl: 'https://168.63.129.16/very-secret' }, /public address/],
      [
        'workspace_chat',
        'apiUrl',
        { ...bot, apiUrl: 'https://very-secret@chat.example/api' },
        /user name and password/,
      ],
      ['office_chat', 'webhookUrl', { webhookUrl: 'https://10.0.0.1/very-secret' }, /public address/],
      ['office_chat', 'webhookUrl', { webhookUrl: 'https://' }, /absolute address/],
      ['support_messenger', 'apiUrl', { ...token, apiUrl: 'http://169.254.169.254/very-secret' }, /public address/],
      ['email', 'host', { ...mail, host: '192.168.0.1' }, /public address/],
      ['email', 'host', { ...mail, host: '0x7f.1' }, /public address/],
      ['email', 'host', { ...mail, host: '::1' }, /public address/],
      ['email', 'host', { ...mail, host: 'mail.example:25' }, /name or IP address of a server/],
    ];
    for (const [channel, field, settings, expected] of cases) {
      const { status, body } = await call('PUT', '', { settings }, channel);
      assert.equal(status, 400, JSON.stringify(settings));
      assert.deepEqual(Object.keys(body.details), [field]);
      assert.match(body.details[field], expected);
      assert.ok(!JSON.stringify(body).includes('very-secret'));
      assert.equal((await call('GET', '', undefined, channel)).body.connected, false, 'nothing is stored');
    }
  });

  await t.test('settings that contradict each other are refused', async () => {
    const fields = async (channel: string, settings: object) => {
      const { status, body } = await call('PUT', '', { settings }, channel);
      assert.equal(status, 400, channel);
      return Object.keys(body.details);
    };
    assert.deepEqual(await fields('workspace_chat', {}), ['webhookUrl']);
    assert.deepEqual(await fields('workspace_chat', { webhookUrl: url, botToken: 'xoxb-1' }), ['webhookUrl']);
    assert.deepEqual(await fields('workspace_chat', { botToken: 'xoxb-1' }), ['channel']);
    assert.deepEqual(await fields('hosted', { visibility: 'unlisted' }), ['key']);
    const mail = { host: 'mail.example', from: 'notes@acme.example', recipients: ['ada@example.org'] };
    assert.deepEqual(await fields('email', { ...mail, user: 'x' }), ['user']);
    assert.deepEqual(await fields('email', { ...mail, tls: 'none', user: 'x', password: 'y' }), ['tls']);
    const bad = await call('PUT', '', { settings: { ...mail, recipients: ['grace at example.org'] } }, 'email');
    assert.deepEqual(Object.keys(bad.body.details), ['recipients.0']);
    assert.ok(!JSON.stringify(bad.body).includes('grace'));
  });

  await t.test('a repository’s connection takes precedence over its organization’s', async () => {
    const put = await call('PUT', '', { settings: { webhookUrl: url } });
    assert.equal(put.status, 200, JSON.stringify(put.body));
    assert.deepEqual([put.body.connected, put.body.source], [true, 'organization']);
    assert.deepEqual(put.body.hasSecret.webhookUrl, true);
    assert.equal((await call('GET', `?repoId=${repoId}`)).body.source, 'organization');
    assert.equal(
      (await call('PUT', `?repoId=${repoId}`, { settings: { webhookUrl: `${url}2` } })).body.source,
      'repository',
    );
    assert.equal((await call('GET', `?repoId=${repoId}`)).body.source, 'repository');
    assert.equal((await call('DELETE', `?repoId=${repoId}`)).body.source, 'organization');
    assert.equal((await call('DELETE', `?repoId=${repoId}`)).status, 404);
  });

  await t.test('a secret that is left out stays', async () => {
    const { status, body } = await call('PUT', '', { settings: {} });
    assert.deepEqual([status, body.hasSecret.webhookUrl], [200, true]);
    const bad = await call('PUT', `?repoId=${repoId}`, { settings: {} });
    assert.equal(bad.status, 400, 'there is no secret to keep');
  });

  await t.test('a kept secret is not sent to another address', async () => {
    const details = async (channel: string, settings: object) =>
      Object.keys((await call('PUT', `?repoId=${repoId}`, { settings }, channel)).body.details ?? {}).sort();
    const bot = { channel: 'C1', apiUrl: 'https://chat.example/api' };
    assert.deepEqual(await details('workspace_chat', { ...bot, botToken: 'xoxb-very-secret' }), []);
    assert.deepEqual(
      await details('workspace_chat', { ...bot, channel: 'C2' }),
      [],
      'another channel of the same chat',
    );
    assert.deepEqual(await details('workspace_chat', { ...bot, apiUrl: 'https://thief.example/api' }), ['botToken']);
    assert.deepEqual(
      await details('workspace_chat', { channel: 'C2' }),
      ['botToken'],
      'the default address is a different one',
    );
    await call('DELETE', `?repoId=${repoId}`);
    const messenger = { senderId: 1, apiUrl: 'https://desk.example' };
    assert.deepEqual(await details('support_messenger', { ...messenger, accessToken: 'very-secret' }), []);
    assert.deepEqual(await details('support_messenger', { senderId: 1 }), ['accessToken']);
    const login = { user: 'u', password: 'very-secret', recipients: ['ada@example.org'] };
    const mail = { host: 'mail.example', from: 'notes@acme.example' };
    assert.deepEqual(await details('email', { ...mail, ...login }), []);
    assert.deepEqual(await details('email', { ...mail, host: 'thief.example' }), ['password', 'recipients', 'user']);
    assert.deepEqual(await details('email', { ...mail, port: 2525, recipients: login.recipients }), [
      'password',
      'user',
    ]);
    assert.deepEqual(await details('email', { ...mail, ...login, host: 'other.example' }), [], 'a new one may be sent');
    for (const channel of ['support_messenger', 'email']) await call('DELETE', `?repoId=${repoId}`, undefined, channel);
  });

  await t.test('no secret is in a reply, in the log or on disk', async () => {
    for (const path of [
      '/api/channels',
      '/api/channels/workspace_chat',
      `/api/channels/workspace_chat?repoId=${repoId}`,
    ]) {
      assert.ok(!JSON.stringify((await service.api('GET', path, undefined, key)).body).includes('very-secret'), path);
    }
    assert.ok(!service.log.includes('very-secret'));
    assert.ok(filesWith(service.dataDir, 'workspace_chat').length > 0, 'the connection is on disk');
    assert.deepEqual(filesWith(service.dataDir, 'very-secret'), []);
  });

  await t.test('a test of a connection reports the result', async () => {
    const { status, body } = await service.api('POST', '/api/channels/hosted/test', {}, key);
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual([body.channel, body.ok], ['hosted', true]);
    assert.equal((await service.api('POST', '/api/channels/email/test', {}, key)).status, 409);
    const nowhere = await service.api('POST', '/api/channels/changelog/test', {}, key);
    assert.ok(nowhere.body.details.repoId, 'a host is tested with a repository');
    const without = await service.api('POST', `/api/channels/changelog/test?repoId=${repoId}`, {}, key);
    assert.equal(without.status, 409);
    assert.match(without.body.message, /no credentials/);
  });

  await t.test('a recipient unsubscribes by button or in one click, and subscribes again', async () => {
    const sealer = createSealer(
      parseSealingKey(readFileSync(join(service.dataDir, 'sealing-key'), 'utf8').trim()) as Buffer,
    );
    const address = addressDigest(sealer, orgId, 'ada@example.org');
    const link = `${service.url}/unsubscribe/${unsubscribeToken(sealer, { orgId, address })}`;
    const page = async (init?: RequestInit) => {
      const answer = await fetch(link, init);
      assert.equal(answer.status, 200);
      assert.match(answer.headers.get('content-security-policy') ?? '', /default-src 'none'/);
      return answer.text();
    };
    const form = (body: string) => ({
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body,
    });
    assert.match(await page(), /You get the release notes of acme by mail/);
    assert.match(await page(), /You get the release notes/, 'opening the link changes nothing');
    assert.match(await page(form('List-Unsubscribe=One-Click')), /no longer get release notes of acme/);
    assert.match(await page(), /no longer get release notes of acme/);
    assert.match(await page(form('again=1')), /You get the release notes/);
    const other = await fetch(
      link.replace(
        address,
        address.replace(/^./, (first) => (first === 'A' ? 'B' : 'A')),
      ),
    );
    assert.equal(other.status, 404);
  });
});
