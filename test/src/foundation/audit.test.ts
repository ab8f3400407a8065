/**
 * Tests the audit log: the entry of each audited command has the right action and objects, and contains no text that
 * could be a secret.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { apiRoutes } from '../../../src/api/routes.ts';
import { sessionOperations } from '../../../src/api/session-operations.ts';
import { auditActionOf, auditActions, auditedCommand, objectsInPath } from '../../../src/foundation/audit.ts';
import { newId } from '../../../src/foundation/ids.ts';
import type { CommandRecord } from '../../../src/protocol/journal.ts';

type Command = CommandRecord['command'];

const planted = 'planted-secret-7f3a';
const origin = 'https://scm.example';
const [keyId, successorId, orgId, repoId] = [newId('key', 0), newId('key', 0), newId('org', 0), newId('repo', 1)];
const [sessionId, secretId, endpointId, publicationId, draftId] = [
  newId('ses', 0),
  newId('secret', 0),
  newId('ep', 0),
  newId('pub', 1),
  newId('draft', 1),
];

const key = (id: string) => ({
  id,
  hash: planted,
  prefix: 'rn_live_',
  last4: planted.slice(-4),
  name: planted,
  orgId: null,
  scopes: ['*'],
  createdAt: 0,
  expiresAt: null,
  revokedAt: null,
});
const connection = { orgId, repoId, settings: { url: planted }, secrets: { token: planted }, receiver: planted };

/**
 * One row per kind of audited command. A row contains the command with a secret in each free text, the value of the
 * command's result, and the expected objects.
 */
/** The publications of a rule, some with the same channel. */
const publish = [
  { channel: 'hosted', persona: 'customer' },
  { channel: 'email', persona: 'customer' },
  { channel: 'email', persona: 'internal' },
];

const commands: [object, unknown, object][] = [
  [
    { name: 'createKey', org: planted, origin: planted, key: key(keyId) },
    { id: keyId, orgId, name: planted },
    { keyId, orgId },
  ],
  [
    { name: 'rotateKey', keyId, key: key(successorId), overlapMs: 0 },
    { id: successorId, orgId: null },
    { keyId, successorId, orgId: null },
  ],
  [{ name: 'revokeKey', keyId, guarded: true }, {}, { keyId }],
  [
    { name: 'createSession', session: { id: sessionId, keyId, token: planted, csrf: planted }, code: planted },
    { endedSessions: ['ses_1'] },
    { sessionId, keyId, byCode: true, endedSessions: ['ses_1'] },
  ],
  [{ name: 'endSession', sessionId, token: planted }, {}, { sessionId }],
  [{ name: 'endSessions', keyId }, { endedSessions: 1 }, { keyId }],
  [{ name: 'createSignInCode', keyId, code: planted }, {}, { keyId }],
  [
    { name: 'createWebhookSecret', secret: { id: secretId, origin: planted, orgId, name: planted, sealed: planted } },
    {},
    { secretId, orgId },
  ],
  [{ name: 'rotateWebhookSecret', secretId, sealed: planted, overlapMs: 0 }, {}, { secretId }],
  [{ name: 'revokeWebhookSecret', secretId }, {}, { secretId }],
  [
    {
      name: 'createHostApp',
      app: { origin, appId: '123456', slug: planted, name: planted, url: planted, sealed: planted },
      secret: { id: secretId, origin: planted, name: planted, sealed: planted },
    },
    {},
    { origin, appId: '123456', secretId },
  ],
  [
    { name: 'removeHostApp', origin },
    { id: '123456', secretId },
    { origin, appId: '123456', secretId },
  ],
  [
    { name: 'createWebhookEndpoint', endpoint: { id: endpointId, orgId, url: planted, sealed: planted } },
    {},
    { endpointId, orgId },
  ],
  [
    { name: 'updateWebhookEndpoint', endpointId, url: planted, query: planted, description: planted, enabled: false },
    {},
    { endpointId, fields: ['url', 'description', 'enabled'], enabled: false },
  ],
  [{ name: 'rotateWebhookEndpointSecret', endpointId, sealed: planted, overlapMs: 0 }, {}, { endpointId }],
  [{ name: 'deleteWebhookEndpoint', endpointId }, {}, { endpointId }],
  [{ name: 'putChannel', record: { channel: 'email', ...connection } }, {}, { channel: 'email', orgId, repoId }],
  [{ name: 'removeChannel', orgId, repoId: null, channel: 'email' }, {}, { channel: 'email', orgId, repoId: null }],
  [
    { name: 'publish', publicationId, draftId, revision: 3, channel: 'hosted', connection, pagesUrl: planted },
    { id: publicationId },
    { publicationId, draftId, revision: 3, channel: 'hosted' },
  ],
  [{ name: 'resendPublication', publicationId, connection, pagesUrl: planted }, {}, { publicationId }],
  [{ name: 'deletePublication', publicationId }, {}, { publicationId }],
  [
    { name: 'updateOrganisation', orgId, tier: 'large', refuseInternalOnPublicChannels: true, note: planted },
    {},
    {
      orgId,
      fields: ['tier', 'refuseInternalOnPublicChannels', 'note'],
      tier: 'large',
      refuseInternalOnPublicChannels: true,
    },
  ],
  [{ name: 'approveRetention', wait: { cause: 'clock', from: 1, to: 2 } }, {}, { partition: 'p00', cause: 'clock' }],
  [
    { name: 'putAutomation', repoId, rule: { onTag: { pattern: planted, publish }, unreleased: null } },
    {},
    { repoId, channels: ['hosted', 'email'] },
  ],
  [{ name: 'putAutomation', repoId, rule: { onTag: null, unreleased: null } }, {}, { repoId }],
];

/** Objects of the actions that no command carries out. The code that carries them out writes their lines. */
const withoutCommand: Record<string, string[]> = { replayDeadLetters: ['count', 'partition', 'seq', 'index'] };

test('each audited command gives its action and objects, and no free text', () => {
  const seen = commands.map(([command, value, objects]) => {
    const about = auditedCommand('p00', command as Command, value);
    assert.deepEqual(about?.objects, objects);
    assert.ok(!JSON.stringify(about).includes(planted), JSON.stringify(about));
    return about?.action;
  });
  const ofCommands = auditActions.filter((action) => !(action in withoutCommand));
  assert.deepEqual(seen, ofCommands);
});

test('a host is named only by a plain web address', () => {
  for (const text of [planted, `https://user:${planted}@scm.example`, `https://scm.example/${planted}`, `${origin}/`]) {
    const line = auditedCommand('directory', { name: 'removeHostApp', origin: text });
    assert.deepEqual(line?.objects, { origin: null, appId: null, secretId: null }, text);
  }
});

test('the handbook lists the actions with their objects', () => {
  const operations = readFileSync(fileURLToPath(new URL('../../../../docs/operations.md', import.meta.url)), 'utf8');
  const [, table = ''] = /<!-- audit:start -->\n([\s\S]*?)<!-- audit:end -->/.exec(operations) ?? [];
  const rows = new Map(
    [...table.matchAll(/^\| `(\w+)` \| (.*) \|$/gm)].map(([, action, objects]) => [
      action as string,
      objects as string,
    ]),
  );
  assert.deepEqual([...rows.keys()], [...auditActions]);
  const ofCommands = auditActions.filter((action) => !(action in withoutCommand));
  const named = new Map(commands.map(([, , objects], i) => [ofCommands[i] as string, Object.keys(objects)]));
  for (const [action, objects] of Object.entries(withoutCommand)) named.set(action, objects);
  for (const [action, objects] of named) {
    const row = rows.get(action) ?? '';
    const isPolicy = (name: string) => name.startsWith('refuse') && row.includes('each policy');
    for (const name of objects) assert.ok(row.includes(`\`${name}\``) || isPolicy(name), `${action}: ${name}`);
    for (const [, name] of row.replace('`again`', '').matchAll(/`(\w+)`/g))
      assert.ok(objects.includes(name as string), `${action}: ${name}`);
  }
});

test('each action is a writing operation of the API, or of the command line alone', () => {
  const commandLine = ['createSignInCode'];
  for (const action of auditActions.filter((each) => !commandLine.includes(each))) {
    const route = [...apiRoutes, ...sessionOperations].find(({ operation }) => operation === action);
    assert.ok(route && route.method !== 'GET', action);
    assert.equal(auditActionOf(action), action);
  }
  assert.equal(auditActionOf('generateDraft'), undefined);
});

test('publishing the same text again names the earlier publication', () => {
  const again = { name: 'publish', publicationId, draftId, revision: 3, channel: 'hosted', connection };
  const earlier = newId('pub', 1);
  const { objects } = auditedCommand('p00', again as unknown as Command, { id: earlier }) ?? {};
  assert.deepEqual(objects, { publicationId: earlier, draftId, revision: 3, channel: 'hosted', again: true });
});

test('a command that is not audited has no line', () => {
  assert.equal(auditedCommand('p00', { name: 'cancelBackfill', repoId }), undefined);
});

test('the objects of a path are its ids and channels only', () => {
  assert.deepEqual(objectsInPath('/api/keys/:keyId/rotate', [keyId]), { keyId });
  assert.deepEqual(objectsInPath('/api/channels/:channel', ['email']), { channel: 'email' });
  assert.deepEqual(objectsInPath('/api/keys/:keyId', [planted]), {});
  assert.deepEqual(objectsInPath('/api/publish', []), {});
});
