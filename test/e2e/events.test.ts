/**
 * Tests the stream of live events with a whole service: each client sees what happens to its own objects, and continues
 * after breaks.
 */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { type TestContext, test } from 'node:test';
import { EventReader } from '../../sdk/events.ts';
import { afterwards } from '../helpers/cleanup.ts';
import { pullPayload } from '../helpers/payloads.ts';
import { createTagRange, deliverRocket, generateDraft, toEnd } from '../helpers/rocket.ts';
import { startService, type TestService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

// biome-ignore lint/suspicious/noExplicitAny: the test looks into whatever came
type Received = { event: string; data: any; id: string };

/** An open stream, and what has arrived. */
interface Opened {
  events: Received[];
  headers: Headers;
  /** Id from which another stream can continue. */
  id: () => string;
  isEnded: () => boolean;
  close: () => Promise<void>;
}

async function open(
  t: TestContext,
  service: TestService,
  key: string,
  { lastEventId = '', inQuery = false, test = false }: { lastEventId?: string; inQuery?: boolean; test?: boolean } = {},
): Promise<Opened> {
  const abort = new AbortController();
  const headers = {
    authorization: `Bearer ${key}`,
    ...(lastEventId !== '' && !inQuery && { 'last-event-id': lastEventId }),
    ...(test && { 'x-test-mode': 'true' }),
  };
  const query = inQuery ? `?${new URLSearchParams({ lastEventId })}` : '';
  const response = await fetch(`${service.url}/api/events${query}`, { headers, signal: abort.signal });
  assert.equal(response.status, 200);
  const events: Received[] = [];
  const reader = new EventReader();
  let isEnded = false;
  const read = async () => {
    for await (const chunk of response.body as ReadableStream<Uint8Array>)
      for (const each of reader.read(chunk)) events.push({ ...each, data: JSON.parse(each.data) });
  };
  void read()
    .catch(() => {})
    .then(() => {
      isEnded = true;
    });
  const close = async () => {
    abort.abort();
    await waitUntil('the stream is closed', () => isEnded);
  };
  afterwards(t, close);
  await waitUntil('the stream has a position', () => reader.id !== '');
  return { events, headers: response.headers, id: () => reader.id, isEnded: () => isEnded, close };
}

function arrived({ events }: Opened, what: string, is: (received: Received) => boolean): Promise<Received> {
  return waitUntil(what, () => events.find(is));
}

/** Returns the names of the events that a stream begins with. They have no ids. Live events can follow at once. */
function missed({ events }: Opened): string[] {
  return events.filter(({ id }) => id === '').map(({ event }) => event);
}

test('clients get live events', async (t) => {
  const service = await startService(t);
  const keyOf = async (org: string) => (await service.api('POST', '/api/keys', { name: 'k', org })).body;
  const [acme, moon] = [await keyOf('acme'), await keyOf('moon')];
  const stream = await open(t, service, acme.key);
  const foreign = await open(t, service, moon.key);

  await t.test('the reply is not cached, buffered or compressed', () => {
    const wanted = { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' };
    for (const [name, value] of Object.entries(wanted)) assert.equal(stream.headers.get(name), value);
    assert.equal(stream.headers.get('content-encoding'), null);
  });

  const repoId = await deliverRocket(service);

  await t.test('the first delivery of a repository is an event for its organization', async () => {
    const { data } = await arrived(stream, 'the repository has an event', ({ event }) => event === 'repo.event');
    assert.equal(data.repoId, repoId);
  });

  const range = (await createTagRange(service, repoId)).body;
  const draft = await generateDraft(service, range.id);

  await t.test('a range, a draft and a publication are events', async () => {
    const counted = await arrived(stream, 'the range is counted', ({ event }) => event === 'range.counts');
    assert.deepEqual([counted.data.repoId, counted.data.rangeId], [repoId, range.id]);
    const ready = await arrived(stream, 'the draft is ready', ({ data }) => data.status === 'ready');
    assert.deepEqual(
      [ready.event, ready.data],
      [
        'draft.status',
        {
          ...{ repoId, rangeId: range.id, draftId: draft.id, persona: 'engineer' },
          ...{ status: 'ready', revision: 1, outdated: false },
        },
      ],
    );
    await toEnd(service, service.api('POST', '/api/publish', { draftId: draft.id, channel: 'hosted' }));
    const sent = await arrived(stream, 'the draft is published', ({ data }) => data.status === 'completed');
    assert.deepEqual([sent.event, sent.data.draftId], ['publication.status', draft.id]);
  });

  await t.test('a new change makes the draft outdated', async () => {
    await service.deliver(
      'pull_request',
      pullPayload(2, { title: 'Much faster start', updated_at: '2026-02-01T00:00:00Z' }),
    );
    await arrived(stream, 'the draft is outdated', ({ data }) => data.outdated === true);
  });

  await t.test('no event contains a text, and another organization gets no event', () => {
    const texts = JSON.stringify(stream.events);
    // Random ids can contain the letters of a short word.
    for (const word of ['First light', 'rocket', 'ada', 'v1\\.0\\.0'])
      assert.doesNotMatch(texts, new RegExp(`\\b${word}\\b`));
    assert.deepEqual(foreign.events, []);
  });

  await t.test('a stream continues after the last event', async () => {
    const id = stream.id();
    await service.api('PATCH', `/api/drafts/${draft.id}`, { bodyMd: '## Mine\n' });
    await arrived(stream, 'the edit is an event', ({ event, data }) => event === 'draft.status' && data.revision === 2);
    const again = await open(t, service, acme.key, { lastEventId: id });
    const edited = await arrived(again, 'the edit comes again', ({ event }) => event === 'draft.status');
    assert.equal(edited.data.revision, 2);
    await again.close();
    const inQuery = await open(t, service, acme.key, { lastEventId: id, inQuery: true });
    await arrived(inQuery, 'the edit comes again', ({ event }) => event === 'draft.status');
    await inQuery.close();
    const unknown = await open(t, service, acme.key, { lastEventId: 'x-1' });
    assert.deepEqual(missed(unknown), ['reset']);
    await unknown.close();
  });

  await t.test('a refused delivery is an event for the instance only', async () => {
    const all = await open(t, service, service.adminKey);
    await service.deliver('pull_request', pullPayload(1), { 'x-hub-signature-256': 'sha256=00' });
    const { data } = await arrived(all, 'the refusal is reported', ({ event }) => event === 'delivery.refused');
    assert.deepEqual(data, { reason: 'wrong_signature' });
    await all.close();
    for (const { events } of [stream, foreign]) assert.ok(!events.some(({ event }) => event === 'delivery.refused'));
  });

  await t.test('test mode sends one sample of each event', async () => {
    const samples = await open(t, service, acme.key, { test: true });
    assert.equal(samples.headers.get('x-test-mode'), 'true');
    assert.deepEqual(
      samples.events.map(({ event }) => event),
      [
        'repo.event',
        'range.counts',
        'draft.status',
        'publication.status',
        'backfill.progress',
        'delivery.refused',
        'reset',
      ],
    );
    await samples.close();
  });

  await t.test('a key has at most four streams, and HEAD opens none', async () => {
    const head = await fetch(`${service.url}/api/events`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${acme.key}` },
    });
    assert.deepEqual(
      [head.status, head.headers.get('content-type'), await head.text()],
      [200, 'text/event-stream', ''],
    );
    const more = [await open(t, service, acme.key), await open(t, service, acme.key), await open(t, service, acme.key)];
    const { status, body, headers } = await service.api('GET', '/api/events', undefined, acme.key);
    assert.deepEqual([status, body.error, headers.get('retry-after')], [429, 'Rate limit exceeded', '10']);
    assert.match(body.message, /can have 4 open streams/);
    for (const each of more) await each.close();
    assert.equal((await service.api('GET', '/api/events', undefined, acme.key)).status, 200, 'there is room again');
  });

  await t.test('a revoked key ends its streams', async () => {
    assert.equal((await service.api('DELETE', `/api/keys/${moon.id}`)).status, 200);
    await waitUntil('the stream has ended', () => foreign.isEnded());
    assert.equal((await service.api('GET', '/api/events', undefined, moon.key)).status, 401);
    const closed = (await (await fetch(`${service.opsUrl}/metrics`)).text()).match(
      /streams_closed_total\{reason="(\w+)"\}/g,
    );
    assert.ok(
      closed?.some((line) => line.includes('"key"')),
      String(closed),
    );
  });

  await t.test('after a restart of the gateway, a client reads everything again', async () => {
    const id = stream.id();
    const { gateway } = await service.killParts('gateway');
    await waitUntil('the stream has ended', () => stream.isEnded());
    await waitUntil('another gateway runs', () => ![0, gateway].includes(service.pids().gateway));
    await service.ready();
    const again = await open(t, service, acme.key, { lastEventId: id });
    assert.deepEqual(missed(again), ['reset']);
  });

  await t.test('a stop of the service ends its streams cleanly', async () => {
    const ended = new Promise<boolean>((resolve, reject) => {
      const headers = { authorization: `Bearer ${acme.key}` };
      request(`${service.url}/api/events`, { headers }, (response) => {
        response.on('close', () => resolve(response.complete)).resume();
        void service.stop();
      })
        .on('error', reject)
        .end();
    });
    assert.equal(await ended, true);
  });
});
