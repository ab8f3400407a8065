/** Tests what a node answers to other machines while something is wrong with it. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { loadSettings } from '../../../config/load.ts';
import { beginExchange } from '../../../src/cluster/join.ts';
import { makeToken, readTokenFile } from '../../../src/cluster/join-token.ts';
import type { Logger } from '../../../src/foundation/logger.ts';
import { packMessage, unpackMessage } from '../../../src/journal/codec.ts';
import type { Journal } from '../../../src/journal/connect.ts';
import type { ClockWatch } from '../../../src/supervisor/clock-watch.ts';
import { writeClusterFile } from '../../../src/supervisor/cluster-keys.ts';
import { serveCluster } from '../../../src/supervisor/cluster-service.ts';
import { prepareDataDir } from '../../../src/supervisor/first-start.ts';
import { temporaryFolder } from '../../helpers/ports.ts';

/** A message from another machine, as the NATS client passes it on. */
interface Message {
  data: Uint8Array;
  respond: (reply: Uint8Array) => boolean;
}
type Callback = (error: Error | null, message: Message) => void;

/** Starts to serve as a node. `ask` sends a request on a subject and returns the answer. */
function serve(t: TestContext, check = async (): Promise<void> => {}) {
  const dataDir = temporaryFolder(t);
  const settings = loadSettings({ TIDINGS_DATA_DIR: dataDir, TIDINGS_NODE: 'a', TIDINGS_NATS_URL: 'nats://x:1' });
  prepareDataDir(settings, true);
  writeClusterFile(dataDir, 'c1');
  const callbacks = new Map<string, Callback>();
  const subscribe = (subject: string, { callback }: { callback: Callback }) => callbacks.set(subject, callback);
  const lines: string[] = [];
  const note = (_: object, text: string) => lines.push(text);
  serveCluster(
    { node: 'a', connection: { subscribe } } as unknown as Journal,
    settings,
    () => [],
    { check, offsetMs: 0 } as unknown as ClockWatch,
    { info: note, warn: note, error: note } as unknown as Logger,
  );
  const ask = (subject: string, request: unknown): Promise<unknown> =>
    new Promise((resolve) => {
      const respond = (reply: Uint8Array) => Boolean(resolve(unpackMessage(reply))) || true;
      callbacks.get(subject)?.(null, { data: packMessage(request), respond });
    });
  return { dataDir, ask, lines };
}

test('a node that cannot read its keys says so, and does not use the token up', async (t) => {
  const { dataDir, ask, lines } = serve(t);
  const token = readTokenFile(makeToken(dataDir, { cluster: 'c1', node: 'a' }, Date.now()));
  rmSync(join(dataDir, 'admin-key'));
  const refused = beginExchange(token, 'b');
  const reply = await ask('tidings.a.join', refused.request);
  assert.throws(() => refused.open(reply), /Node a cannot read the keys of its cluster. Its log contains the reason/);
  assert.match(lines.join('\n'), /the keys of the cluster cannot be read/);
  prepareDataDir(loadSettings({ TIDINGS_DATA_DIR: dataDir }), true);
  const exchange = beginExchange(token, 'b');
  assert.equal(exchange.open(await ask('tidings.a.join', exchange.request)).identity.cluster, 'c1');
});

test('a node reports its state also while the NATS server does not report its time', async (t) => {
  const { ask } = serve(t, () => new Promise(() => {}));
  // Nothing else keeps the process of the test alive while the answer waits for the time.
  const alive = setInterval(() => {}, 1000);
  t.after(() => clearInterval(alive));
  const status = (await ask('tidings.cluster.status', undefined)) as { from: string; node: string };
  assert.deepEqual([status.from, status.node], ['supervisor', 'a']);
});
