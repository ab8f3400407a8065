/**
 * Tests the audit log of a running service: one line for each change by API or command line, one line for each refusal,
 * and no secret in any line.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { auditActions } from '../../src/foundation/audit.ts';
import { temporaryFolder } from '../helpers/ports.ts';
import { createTagRange, deliverRocket, generateDraft, publicationEnded } from '../helpers/rocket.ts';
import { startService, type TestService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

interface Line {
  time: number;
  role: string;
  level: number;
  action: string;
  outcome: string;
  by: string;
  requestId?: string;
  objects: Record<string, unknown>;
}

/** Returns the audit lines in the log of a service. */
function linesOf(service: TestService): Line[] {
  const lines = service.log.split('\n').filter((line) => line.includes('"audit":true'));
  return lines.map((line) => JSON.parse(line) as Line);
}

/** Waits for the next audit line, adds it to `seen`, and returns it. */
function expectLine(service: TestService, seen: Line[]): Promise<Line> {
  return waitUntil('an audit line is written', () => {
    const line = linesOf(service)[seen.length];
    if (line) seen.push(line);
    return line;
  });
}

test('the audit log has one line per change and no secret', async (t) => {
  const since = Date.now();
  const service = await startService(t, { env: { TIDINGS_LOG_LEVEL: 'info' } });
  const seen: Line[] = [];
  const secrets: string[] = [service.secret, service.adminKey];
  const plant = (what: string): string => {
    const text = `planted-${what}-${Math.random().toString(36).slice(2).padEnd(12, 'x')}`;
    secrets.push(text);
    return text;
  };
  const first = await expectLine(service, seen);
  assert.deepEqual([first.action, first.by, first.outcome], ['createKey', 'start', 'done']);
  const adminId = first.objects.keyId;
  const repoId = await deliverRocket(service);
  const { orgId } = (await service.api('GET', '/api/repos')).body.repos[0];

  /**
   * Sends a request and asserts that it writes one audit line with the given action. Returns the body of the reply and
   * the line.
   */
  const audited = async (method: string, path: string, action: string, body?: object, key?: string) => {
    const answer = await service.api(method, path, body, key);
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    const line = await expectLine(service, seen);
    assert.deepEqual([line.action, line.outcome, line.role, line.level], [action, 'done', 'gateway', 30]);
    assert.equal(line.requestId, answer.headers.get('x-request-id'));
    if (key === undefined) assert.equal(line.by, adminId);
    return { body: answer.body, line };
  };

  await t.test('each change by API writes a line', async () => {
    const made = await audited('POST', '/api/keys', 'createKey', { name: plant('name'), org: 'acme' });
    secrets.push(made.body.key);
    assert.deepEqual(made.line.objects, { keyId: made.body.id, orgId });
    const rotated = await audited('POST', `/api/keys/${made.body.id}/rotate`, 'rotateKey', {});
    secrets.push(rotated.body.key);
    assert.deepEqual(rotated.line.objects, { keyId: made.body.id, successorId: rotated.body.id, orgId });
    // The audit line names the author of the change: the key that sent the request.
    const own = await audited(
      'POST',
      '/api/webhook-secrets',
      'createWebhookSecret',
      { name: plant('name'), secret: plant('secret') },
      rotated.body.key,
    );
    assert.equal(own.line.by, rotated.body.id);
    assert.deepEqual(own.line.objects, { secretId: own.body.id, orgId });
    const turned = await audited('POST', `/api/webhook-secrets/${own.body.id}/rotate`, 'rotateWebhookSecret', {});
    secrets.push(turned.body.secret);
    await audited('DELETE', `/api/webhook-secrets/${own.body.id}`, 'revokeWebhookSecret');
    await audited('DELETE', `/api/keys/${rotated.body.id}`, 'revokeKey');

    const url = `https://hooks.example/${plant('path')}?token=${plant('query')}`;
    const endpoint = await audited('POST', '/api/webhook-endpoints', 'createWebhookEndpoint', {
      url,
      org: 'acme',
      description: plant('text'),
    });
    secrets.push(endpoint.body.secret);
    const at = `/api/webhook-endpoints/${endpoint.body.id}`;
    const changed = await audited('PATCH', at, 'updateWebhookEndpoint', {
      enabled: false,
      url: `${url}${plant('more')}`,
    });
    assert.deepEqual(changed.line.objects, {
      endpointId: endpoint.body.id,
      fields: ['enabled', 'url'],
      enabled: false,
    });
    secrets.push((await audited('POST', `${at}/rotate`, 'rotateWebhookEndpointSecret', {})).body.secret);
    await audited('DELETE', at, 'deleteWebhookEndpoint');

    const channel = `/api/channels/workspace_chat?orgId=${orgId}`;
    const settings = { webhookUrl: `https://chat.example/${plant('hook')}` };
    const put = await audited('PUT', channel, 'putChannel', { settings });
    assert.deepEqual(put.line.objects, { channel: 'workspace_chat', orgId, repoId: null });
    await audited('DELETE', channel, 'removeChannel');

    const organization = { tier: 'unlimited', refuseInternalOnPublicChannels: true };
    const { line } = await audited('PATCH', `/api/orgs/${orgId}`, 'updateOrganisation', organization);
    assert.deepEqual(line.objects, { orgId, fields: Object.keys(organization), ...organization });

    const draft = await generateDraft(service, (await createTagRange(service, repoId)).body.id, 'customer');
    const published = await audited('POST', '/api/publish', 'publishDraft', { draftId: draft.id, channel: 'hosted' });
    const publicationId = published.body.id;
    await publicationEnded(service, publicationId);
    assert.deepEqual(published.line.objects, { publicationId, draftId: draft.id, revision: 1, channel: 'hosted' });
    const again = await audited('POST', '/api/publish', 'publishDraft', { draftId: draft.id, channel: 'hosted' });
    assert.deepEqual(again.line.objects, { ...published.line.objects, again: true });
    const sent = await audited('POST', `/api/publications/${publicationId}/resend`, 'resendPublication', {});
    await publicationEnded(service, publicationId);
    assert.deepEqual(sent.line.objects, { publicationId });
    await audited('DELETE', `/api/publications/${publicationId}`, 'deletePublication');
    const publish = [{ channel: 'hosted', persona: 'customer' }];
    const rule = { onTag: { pattern: plant('pattern'), personas: ['customer'], publish } };
    const ruled = await audited('PUT', `/api/repos/${repoId}/automation`, 'putRepositoryAutomation', rule);
    assert.deepEqual(ruled.line.objects, { repoId, channels: ['hosted'] });
    const off = await audited('DELETE', `/api/repos/${repoId}/automation`, 'removeRepositoryAutomation');
    assert.deepEqual(off.line.objects, { repoId });
    const actions = new Set(seen.map(({ action }) => action));
    // This test does not cover `approveRetention`, because an erasure waits for days before it needs an approval,
    // `replayDeadLetters`, because no delivery makes a dead letter, and apps of hosts, which need a host.
    // test/src/foundation/audit.test.ts and test/src/api/dead-letters.test.ts check their audit lines, and
    // test/e2e/sessions.test.ts the lines about sessions.
    assert.deepEqual(
      auditActions.filter((action) => !actions.has(action)),
      [
        ...['createSession', 'endSession', 'endSessions', 'createSignInCode'],
        ...['createHostApp', 'removeHostApp', 'approveRetention', 'replayDeadLetters'],
      ],
    );
  });

  await t.test('a request and its repetitions write one line', async () => {
    const send = async () => {
      const response = await fetch(`${service.url}/api/keys`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${service.adminKey}`,
          'content-type': 'application/json',
          'idempotency-key': 'once',
        },
        body: JSON.stringify({ name: 'once', instance: true }),
      });
      return { status: response.status, text: await response.text() };
    };
    const made = await send();
    secrets.push(JSON.parse(made.text).key);
    assert.deepEqual([made.status, (await send()).status, (await send()).status], [201, 409, 409]);
    assert.equal((await expectLine(service, seen)).action, 'createKey');
  });

  await t.test('a refusal of a valid key writes a line, and other failures write none', async () => {
    const reader = await audited('POST', '/api/keys', 'createKey', {
      name: 'reader',
      org: 'acme',
      scopes: ['drafts:read', 'orgs:write', 'repos:write'],
    });
    const { key, id } = reader.body;
    secrets.push(key);
    const refusals: [string, string, object | undefined, string, object][] = [
      ['DELETE', `/api/keys/${adminId}`, undefined, 'revokeKey', { keyId: adminId }],
      // A user may send a key by mistake instead of the key's id.
      ['DELETE', `/api/keys/${service.adminKey}`, undefined, 'revokeKey', {}],
      ['PATCH', `/api/orgs/${orgId}`, { tier: 'unlimited' }, 'updateOrganisation', { orgId }],
      ['POST', '/api/retention/approve', {}, 'approveRetention', {}],
      ['POST', '/api/dead-letters', { all: true }, 'replayDeadLetters', {}],
    ];
    for (const [method, path, body, action, objects] of refusals) {
      assert.equal((await service.api(method, path, body, key)).status, 403, `${method} ${path}`);
      const { outcome, by, ...line } = await expectLine(service, seen);
      assert.deepEqual([line.action, outcome, by, line.objects], [action, 'refused', id, objects]);
    }
    assert.equal((await service.api('DELETE', `/api/keys/${id}x`)).status, 404);
    assert.equal((await service.api('POST', '/api/keys', { name: '' })).status, 400);
    assert.equal((await service.api('DELETE', `/api/keys/${id}`, undefined, `${key}x`)).status, 401);
    // A refused write is audited, and a refused read is not. This read is refused because the key lacks the scope, so
    // no audit line is written.
    assert.equal((await service.api('GET', '/api/keys', undefined, key)).status, 403);
  });

  await t.test('changes by command line are written to the service’s log', async () => {
    const key = service.tidings('keys', 'create', '--org', 'acme', '--name', plant('name'), '--quiet').trim();
    secrets.push(key);
    const made = await expectLine(service, seen);
    assert.deepEqual([made.action, made.outcome, made.by, made.role], ['createKey', 'done', 'command line', 'worker']);
    assert.equal(made.requestId, undefined);
    const { keyId } = made.objects as { keyId: string };
    service.tidings('keys', 'revoke', keyId);
    assert.deepEqual((await expectLine(service, seen)).objects, { keyId });
    const file = join(temporaryFolder(t), 'secret');
    writeFileSync(file, plant('file'));
    service.tidings('webhook-secrets', 'create', '--org', 'acme', '--secret-file', file);
    assert.equal((await expectLine(service, seen)).action, 'createWebhookSecret');
    service.tidings('orgs', 'tier', 'acme', 'standard');
    assert.deepEqual((await expectLine(service, seen)).objects, { orgId, fields: ['tier'], tier: 'standard' });
  });

  await t.test('the log contains no secret and no unexpected audit line', async () => {
    assert.equal(await service.stop(), 0);
    assert.equal(linesOf(service).length, seen.length);
    assert.ok(seen.every(({ time }) => time >= since && time <= Date.now()));
    for (const secret of secrets) {
      assert.ok(secret.length >= 12);
      assert.ok(!service.log.includes(secret), secret);
    }
  });
});
