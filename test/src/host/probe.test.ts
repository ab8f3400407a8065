/** Checks what a probe of a host says about its token when the host answers some requests only. */
import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { Host } from '../../../config/hosts.ts';
import { checkHost } from '../../../src/host/probe.ts';
import { afterwards } from '../../helpers/cleanup.ts';

/** Starts a host that answers the first request of a probe. `answer` answers the requests about the token. */
async function hostWith(t: TestContext, kind: Host['kind'], answer: (reply: ServerResponse) => void): Promise<Host> {
  const server = createServer((request, reply) => {
    if (request.url !== '/meta' && request.url !== '/version') return answer(reply);
    reply.setHeader('x-github-request-id', '1');
    reply.end('{"version": "1.26.0"}');
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  afterwards(t, () => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { origin, kind, apiUrl: origin, token: 'secret', app: undefined };
}

test('only 401 and 403 refuse a token; other failures say nothing about it', async (t) => {
  for (const kind of ['github', 'gitea'] as const) {
    const states: Record<number, unknown> = {};
    for (const status of [401, 429, 503]) {
      const host = await hostWith(t, kind, (reply) => reply.writeHead(status).end());
      const check = await checkHost(host);
      assert.equal(check.found, 'host');
      states[status] = check.found === 'host' && check.token;
    }
    assert.deepEqual(states, {
      401: { state: 'refused', status: 401 },
      429: { state: 'unknown', reason: '429' },
      503: { state: 'unknown', reason: '503' },
    });
  }
});

test('a host that answers as expected but not about its token is reachable', async (t) => {
  const host = await hostWith(t, 'github', (reply) => reply.destroy());
  const check = await checkHost(host);
  assert.ok(check.found === 'host' && check.token?.state === 'unknown', JSON.stringify(check));
});
