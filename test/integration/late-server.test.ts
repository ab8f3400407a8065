/**
 * Tests a client whose attempt to connect to a suspended server was given up. When the server continues, it answers this
 * attempt and closes it. The client must keep the connection that it has made meanwhile, and make no second one.
 */
import assert from 'node:assert/strict';
import { createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { connectJournal } from '../../src/journal/connect.ts';
import { afterwards } from '../helpers/cleanup.ts';
import { externalSettings, startExternal } from '../helpers/external-nats.ts';
import { quiet } from '../helpers/journal.ts';
import { freePort } from '../helpers/ports.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const info = { server_id: 'late', version: '2.12.0', proto: 1, headers: true, max_payload: 1_048_576 };

test('a client has one connection after a server has answered too late', async (t) => {
  const port = await startExternal(t, '');
  const latePort = await freePort();
  const waiting = new Set<Socket>();
  const late = createServer((socket) => void waiting.add(socket.on('error', () => {})));
  await new Promise<void>((listening) => late.listen(latePort, '127.0.0.1', listening));
  afterwards(t, () => {
    for (const socket of waiting) socket.destroy();
    late.close();
  });

  const url = `nats://127.0.0.1:${latePort},nats://127.0.0.1:${port}`;
  const settings = { ...externalSettings(url), node: 'a' };
  const journal = await connectJournal(settings, { role: 'cli', name: 'test' }, quiet);
  afterwards(t, () => journal.close());
  let reconnects = 0;
  journal.onReconnect(() => void reconnects++);
  await waitUntil('the client has tried the late server and given up', async () => {
    if (waiting.size === 0) await journal.connection.reconnect();
    return waiting.size > 0 && journal.connected() && answers();
  });
  let received = 0;
  journal.connection.subscribe('test.once', { callback: () => void received++ });
  const before = reconnects;
  const ended = [...waiting].map((socket) => {
    // The client closes its side after the late answer.
    const end = new Promise<void>((closed) => socket.once('close', () => closed()));
    socket.write(`INFO ${JSON.stringify(info)}\r\n`, () => socket.end());
    return end;
  });
  await Promise.all(ended);
  // Without the guard, the client connects again now. Its next request waits for that.
  for (let i = 0; i < 5; i++) assert.ok(await answers());
  journal.connection.publish('test.once');
  assert.ok(await answers());
  assert.deepEqual([reconnects - before, received], [0, 1]);

  /** Whether the server answers the client. */
  function answers(): Promise<boolean> {
    return journal.connection.flush().then(
      () => true,
      () => false,
    );
  }
});
