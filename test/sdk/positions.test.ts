/** Tests that the client asks for no older state than the one that it has seen. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { streamEvents } from '../../sdk/events.ts';
import { Positions } from '../../sdk/positions.ts';
import { send } from '../../sdk/send.ts';
import { startScriptedServer } from '../helpers/scripted-server.ts';

test('The highest position of each partition is kept', () => {
  const positions = new Positions();
  assert.deepEqual(positions.headers(), {});
  positions.note('directory:5, p00:7');
  positions.note('p00:6, p01:1');
  positions.note(null);
  positions.note('nonsense');
  assert.deepEqual(positions.headers(), { 'tidings-after': 'directory:5, p00:7, p01:1' });
});

test('A position that is ten minutes old is not sent, and a lower one can replace it', () => {
  const positions = new Positions();
  positions.note('p00:700, p01:5', 0);
  positions.note('p00:3', 599_999);
  positions.note('p01:5', 599_999);
  assert.deepEqual(positions.headers(599_999), { 'tidings-after': 'p00:700, p01:5' });
  assert.deepEqual(positions.headers(600_000), { 'tidings-after': 'p01:5' });
  positions.note('p00:4', 600_000);
  assert.deepEqual(positions.headers(600_000), { 'tidings-after': 'p00:4, p01:5' });
});

test('A client sends the positions of replies and refusals with its next call', async (t) => {
  const { sending, seen } = await startScriptedServer(t, [
    (response) => response.setHeader('Tidings-Position', 'directory:3').end('{}'),
    (response) => response.writeHead(404, { 'Tidings-Position': 'directory:4, p00:9' }).end('{}'),
    (response) => response.end('{}'),
  ]);
  const call = () => send(sending, { method: 'GET', path: '/api/repos', body: undefined, options: {} });
  await call();
  await assert.rejects(call());
  await call();
  assert.deepEqual(
    seen.map((headers) => headers['tidings-after']),
    [undefined, 'directory:3', 'directory:4, p00:9'],
  );
});

test('A client sends the positions of live events with its next call, and its own with a stream', async (t) => {
  const { sending, seen } = await startScriptedServer(t, [
    (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'tidings-position': 'directory:2' });
      response.end('event: draft.status\ndata: {"draftId":"d","position":"directory:2, p01:8"}\n\n');
    },
    (response) => response.end('{}'),
  ]);
  sending.positions.note('p00:1');
  for await (const { event } of streamEvents(sending)) {
    assert.equal(event, 'draft.status');
    break;
  }
  await send(sending, { method: 'GET', path: '/api/drafts/d', body: undefined, options: {} });
  assert.deepEqual(
    seen.map((headers) => headers['tidings-after']),
    ['p00:1', 'p00:1, directory:2, p01:8'],
  );
});
