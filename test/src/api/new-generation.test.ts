/**
 * Tests requests during which a new generation replaces the store of the directory partition: no handler reads the
 * closed store.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from '@sinclair/typebox';
import { loadSettings } from '../../../config/load.ts';
import { toHttpRoute } from '../../../src/api/handle.ts';
import { hostRoutes } from '../../../src/api/hosts.ts';
import type { ApiRoute } from '../../../src/api/route.ts';
import type { ApiServices } from '../../../src/api/services.ts';
import { directoryName } from '../../../src/foundation/partition-names.ts';
import type { Exchange } from '../../../src/http/exchange.ts';
import { openTestPartition } from '../../helpers/partition.ts';

test('the list of hosts reads nothing of the directory after it has waited for the checks', async (t) => {
  const directory = openTestPartition(t, directoryName);
  const request = async () => {
    await directory.close();
    throw new Error('no answer');
  };
  const context = { settings: loadSettings({}), journal: { connection: { request } } };
  const route = hostRoutes.find(({ operation }) => operation === 'listHosts') as ApiRoute<never>;
  const { status, body } = await route.handle({ caller: { key: { orgId: null } }, context, directory } as never);
  assert.equal(status, 200);
  const { hosts, unusedApps } = body as { hosts: { origin: string; app: null }[]; unusedApps: [] };
  assert.deepEqual([hosts.map(({ origin }) => origin), unusedApps], [['https://github.com'], []]);
});

test('a request whose body arrives later reads the directory of that time', async () => {
  const [before, after] = [{}, {}];
  const caller = { key: { id: 'key_1' }, limited: {}, notices: [] };
  const services = {
    context: {},
    authenticator: { admitRequest: () => ({ caller, directory: before }), directory: () => after },
    limit: { take: () => ({ headers: [] }) },
    usage: { count: () => {} },
  } as unknown as ApiServices;
  const route = {
    ...{ method: 'POST', path: '/api/x', operation: 'x', scope: 'repos:read', query: Type.Object({}), contract: {} },
    handle: ({ directory }: { directory: object }) => ({ status: 200, body: { isNew: directory === after } }),
  } as unknown as ApiRoute<never>;
  const replied = new Promise((resolve) => {
    const exchange = {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' }, query: '', params: [], extraHeaders: [] },
      receive: (_limits: object, _onChunk: () => void, onBody: (bytes: Buffer) => void) => onBody(Buffer.from('{}')),
      reply: (_status: number, _type: string, body: Buffer) => resolve(JSON.parse(body.toString())),
      fail: resolve,
    };
    toHttpRoute(route, services).handle(exchange as unknown as Exchange);
  });
  assert.deepEqual(await replied, { isNew: true });
});
