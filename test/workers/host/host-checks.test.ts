/** Tests checks of hosts on request: what a result says, how often a host is asked, and that nothing secret is shown. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Host } from '../../../config/hosts.ts';
import { hostCheckResponse } from '../../../src/api/hosts.ts';
import { ServiceError } from '../../../src/foundation/errors.ts';
import type { HostCheck } from '../../../src/host/probe.ts';
import { HostChecks } from '../../../workers/host/host-checks.ts';

const origin = 'https://git.example';
const host: Host = { origin, kind: 'gitea', apiUrl: `${origin}/api/v1`, token: 'secret-token', app: undefined };
const is = { kind: 'gitea', version: '1.26.0' } as const;

/** Makes checks of one host that answers with the given results, one after the other. */
function fixture(...results: (HostCheck | Error)[]) {
  const clock = { now: Date.UTC(2026, 0, 1) };
  const asked: string[] = [];
  const check = async (one: Host): Promise<HostCheck> => {
    asked.push(one.origin);
    const result = results.shift() ?? assert.fail('asked too often');
    if (result instanceof Error) throw result;
    return result;
  };
  return { clock, asked, checks: new HostChecks({ hosts: [host], check, now: () => clock.now }) };
}

/** Returns what a reply says about one result of a check. */
async function said(result: HostCheck | Error) {
  const { checks } = fixture(result);
  // biome-ignore lint/suspicious/noExplicitAny: tests look into the body
  return hostCheckResponse(await checks.check(origin)) as any;
}

test('a result says what the credentials may do', async () => {
  const { checkedAt, ...gitea } = await said({
    found: 'host',
    is,
    token: { state: 'taken', scopes: undefined },
    app: undefined,
  });
  const accepted = { state: 'accepted', missing: [], fault: null, mayRead: true, mayWrite: null };
  assert.equal(checkedAt, '2026-01-01T00:00:00.000Z');
  assert.deepEqual(gitea, {
    ...{ origin, state: 'answers', kind: 'gitea', version: '1.26.0', fault: null },
    ...{ token: accepted, app: null, mayRead: true, mayWrite: null },
  });
  const rights = async (token: object | undefined, app?: object) => {
    const { mayRead, mayWrite } = await said({ found: 'host', is, token, app } as HostCheck);
    return [mayRead, mayWrite];
  };
  assert.deepEqual(await rights(undefined), [false, false], 'without credentials');
  assert.deepEqual(await rights({ state: 'taken', scopes: ['repo'] }), [true, true]);
  assert.deepEqual(await rights({ state: 'taken', scopes: ['read:org'] }), [true, false]);
  assert.deepEqual(await rights({ state: 'refused', status: 401 }), [false, false]);
  assert.deepEqual(await rights({ state: 'lacking', missing: ['read:issue'] }), [false, null]);
  const app = { state: 'taken', slug: 'tidings', missing: [], mayWrite: true };
  assert.deepEqual(await rights({ state: 'refused', status: 401 }, app), [true, true], 'any credential suffices');
  assert.deepEqual(await rights(undefined, { ...app, missing: ['issues'], mayWrite: false }), [false, false]);
});

test('a credential about which the host does not answer is unknown, with a status or a code', async () => {
  const token = async (reason: string) => {
    const check = { found: 'host', is, token: { state: 'unknown', reason }, app: undefined } as const;
    const { state, token, mayRead, mayWrite } = await said(check);
    assert.deepEqual([state, token.state, mayRead, mayWrite], ['answers', 'unknown', false, null]);
    return token.fault;
  };
  assert.equal(await token('503'), '503');
  assert.equal(await token('ECONNRESET'), 'ECONNRESET');
  assert.equal(await token('cannot read https://ada:secret@git.example'), 'NO_ANSWER');
});

test('a host that does not answer as expected is described by fixed words', async () => {
  const facts = async (result: HostCheck | Error) => {
    const { state, kind, fault, mayRead } = await said(result);
    return [state, kind, fault, mayRead];
  };
  assert.deepEqual(await facts({ found: 'nothing', reason: 'ECONNREFUSED' }), [
    'unreachable',
    null,
    'ECONNREFUSED',
    false,
  ]);
  const telling = 'Request cannot be constructed from a URL that includes credentials: https://ada:secret@git.example';
  assert.deepEqual(await facts(new Error(telling)), ['unreachable', null, 'NO_ANSWER', false]);
  assert.deepEqual(await facts({ found: 'unknown', status: 404 }), ['not_a_host', null, '404', false]);
  assert.deepEqual(await facts({ found: 'otherKind', is: { kind: 'github', version: undefined } }), [
    'other_kind',
    'github',
    null,
    false,
  ]);
});

test('a host is asked once at a time, and not again within five seconds', async () => {
  const unknown = { found: 'unknown', status: 404 } as const;
  const { clock, asked, checks } = fixture(unknown, { found: 'host', is, token: undefined, app: undefined });
  assert.deepEqual(checks.list(), []);
  const both = await Promise.all([checks.check(origin), checks.check(origin)]);
  assert.equal(both[0], both[1]);
  clock.now += 4000;
  assert.equal((await checks.check(origin)).state, 'not_a_host');
  assert.equal(asked.length, 1);
  clock.now += 2000;
  assert.equal((await checks.check(origin)).state, 'answers');
  assert.equal(asked.length, 2);
  assert.deepEqual(
    checks.list().map(({ state }) => state),
    ['answers'],
  );
});

test('only hosts of the settings are asked', async () => {
  const { asked, checks } = fixture();
  for (const other of ['http://169.254.169.254', `${origin}/`, 'HTTPS://git.example', ''])
    await assert.rejects(
      async () => checks.check(other),
      (error: ServiceError) => error instanceof ServiceError && error.details?.origin !== undefined,
    );
  assert.deepEqual(asked, []);
});
