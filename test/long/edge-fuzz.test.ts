/**
 * Sends thousands of random hostile requests. All processes survive these requests, and no reply is a 5xx. A failure
 * prints the seed and path that reproduce the failure.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { faultsIn } from '../helpers/log.ts';
import { issuePayload, pullPayload, pushPayload, shaOf, tagPayload } from '../helpers/payloads.ts';
import { talk } from '../helpers/raw-socket.ts';
import { createTagRange, deliverRocket, generateDraft } from '../helpers/rocket.ts';
import { type Answer, startService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

// The seed is fixed, so that every run sends the same requests and the result is reliable. To search for new faults,
// use random seeds.
const bounded = { seed: 20_260_101, numRuns: 1000, interruptAfterTimeLimit: 12_000, markInterruptAsFailure: false };

const nasty = fc.constantFrom<unknown>(
  '',
  '\u0000',
  '\ud800',
  '__proto__',
  'refs/tags/',
  '0'.repeat(40),
  '2026-02-30',
  '+275760-09-13T00:00:00Z',
  'x'.repeat(500),
  -1,
  0,
  1e300,
  2 ** 53,
  null,
  true,
  [],
  {},
  [[[[[]]]]],
  [null],
  [{ name: null }],
);
const value = fc.oneof({ weight: 2, arbitrary: nasty }, { weight: 1, arbitrary: fc.jsonValue() });

/** Returns the paths of a JSON value and of all values inside it. */
function placesOf(root: unknown, path: string[] = []): string[][] {
  if (typeof root !== 'object' || root === null) return [path];
  return [path, ...Object.entries(root).flatMap(([name, child]) => placesOf(child, [...path, name]))];
}

/** Returns a copy of a value in which the part at a path is replaced. */
function changed(root: unknown, [first, ...rest]: string[], by: unknown): unknown {
  if (first === undefined) return by;
  const copy = Array.isArray(root) ? [...root] : { ...(root as object) };
  Object.assign(copy, { [first]: changed((root as Record<string, unknown>)[first], rest, by) });
  return copy;
}

const payloads: [string, Record<string, unknown>][] = [
  ['pull_request', pullPayload(1)],
  ['issues', issuePayload(2)],
  ['push', pushPayload([1, 2], shaOf(0))],
  ['push', tagPayload('v1', 1)],
];

/** A valid payload in which one to four values are replaced. */
const delivery = fc
  .tuple(fc.constantFrom(...payloads), fc.array(fc.tuple(fc.nat(), value), { minLength: 1, maxLength: 4 }))
  .map(([[event, payload], changes]): [string, unknown] => {
    let body: unknown = payload;
    for (const [place, by] of changes) {
      const places = placesOf(body);
      body = changed(body, places[place % places.length] as string[], by);
    }
    return [event, body];
  });

test('hostile requests end no process', async (t) => {
  const service = await startService(t);
  const port = Number(service.env.TIDINGS_PORT);
  const repoId = await deliverRocket(service);
  const rangeId = (await createTagRange(service, repoId)).body.id;
  const draftId = (await generateDraft(service, rangeId)).id;

  await t.test('changed payloads are accepted or refused', async () => {
    const seen = new Set<number>();
    await fc.assert(
      fc.asyncProperty(delivery, async ([event, payload]) => {
        const { status, body } = await service.deliver(event, payload);
        assert.ok([200, 202, 400].includes(status), `${status} ${JSON.stringify(body)}`);
        seen.add(status);
      }),
      bounded,
    );
    assert.ok(seen.has(202) && seen.has(400), [...seen].join(' '));
  });

  await t.test('every header and body gets a reply', async () => {
    const header = fc.string({ unit: fc.constantFrom(...'aZ0_-=:;,./ "\'{}()é\u00ff'), maxLength: 200 });
    const body = fc.oneof(fc.string({ unit: 'binary' }), fc.json());
    await fc.assert(
      fc.asyncProperty(header, header, header, body, fc.boolean(), async (event, id, extra, text, forged) => {
        const headers = {
          'x-scm-event': event,
          'x-scm-delivery': id,
          'x-github-hook-id': extra,
          ...(forged && { 'x-hub-signature-256': extra }),
        };
        const { status } = await service.deliver('ping', text.toWellFormed(), headers);
        assert.ok(forged ? status === 401 || status === 400 : [200, 400].includes(status), String(status));
      }),
      bounded,
    );
  });

  await t.test('every API request gets a reply', async () => {
    const id = fc.oneof(
      fc.constantFrom(repoId, rangeId, draftId),
      fc.string({ unit: fc.constantFrom(...'rd_0z%2fé.~'), maxLength: 40 }),
    );
    const path = fc.oneof(
      id.map((each) => `/api/drafts/${each}`),
      id.map((each) => `/api/drafts/${each}/generate`),
      id.map((each) => `/api/ranges/${each}`),
      id.map((each) => `/api/repos/${each}/tags`),
      fc.constantFrom('/api/repos', '/api/ranges', '/api/drafts'),
    );
    const name = fc.constantFrom(
      'repoId',
      'releaseRangeId',
      'persona',
      'limit',
      'offset',
      'sort',
      'order',
      '__proto__',
      'x',
    );
    const query = fc.array(fc.tuple(name, fc.oneof(id, fc.string({ unit: 'binary', maxLength: 20 }))), {
      maxLength: 4,
    });
    const field = fc.constantFrom(
      'type',
      'fromTag',
      'toTag',
      'fromDate',
      'toDate',
      'fromPrNumber',
      'persona',
      'bodyMd',
      'constructor',
    );
    const type = fc.constantFrom('TAG_BASED', 'DATE_BASED', 'PR_BASED');
    const body = fc.oneof(
      value,
      fc.dictionary(field, value),
      fc.tuple(type, fc.dictionary(field, value)).map(([each, rest]) => ({ repoId, ...rest, type: each })),
      value.map((bodyMd) => ({ bodyMd })),
    );
    const method = fc.constantFrom('GET', 'POST', 'PATCH', 'PUT', 'DELETE');
    await fc.assert(
      fc.asyncProperty(method, path, query, body, async (verb, where, parameters, content) => {
        const text = new URLSearchParams(
          parameters.map(([key, each]): [string, string] => [key, each.toWellFormed()]),
        ).toString();
        const url = `${encodeURI(where.toWellFormed())}${text && `?${text}`}`;
        const answer: Answer = await service.api(verb, url, verb === 'GET' ? undefined : content);
        assert.ok(answer.status < 500, `${verb} ${url} ${answer.status} ${JSON.stringify(answer.body)}`);
        assert.ok(answer.headers.get('x-request-id'));
      }),
      bounded,
    );
  });

  await t.test('changed bytes of a request cause no 5xx', async () => {
    const whole = `POST /api/webhooks/scm HTTP/1.1\r\nHost: x\r\nContent-Length: 20\r\nX-Scm-Event: ping\r\n\r\n${'{"a":1234567890123}'} GET /api/repos HTTP/1.1\r\nHost: x\r\n\r\n`;
    const piece = fc.constantFrom(
      '\r\n',
      '\n',
      '\0',
      ' ',
      ':',
      'Content-Length: 3\r\n',
      'Transfer-Encoding: chunked\r\n',
      '\x80',
      'A'.repeat(300),
    );
    const edits = fc.array(fc.tuple(fc.nat({ max: whole.length }), fc.nat({ max: 20 }), piece), {
      minLength: 1,
      maxLength: 5,
    });
    await fc.assert(
      fc.asyncProperty(edits, async (list) => {
        let text = whole;
        for (const [at, length, put] of list) text = text.slice(0, at) + put + text.slice(at + length);
        const { statuses } = await talk(port, [Buffer.from(text, 'latin1')], { replies: 2, maxWaitMs: 5 });
        for (const status of statuses)
          assert.ok(status < 500 || status === 505, `${status} for ${JSON.stringify(text)}`);
      }),
      { ...bounded, numRuns: 600 },
    );
  });

  await t.test('the service still works and has logged no fault', async () => {
    assert.equal(await service.metric('tidings_child_restarts_total'), 0);
    assert.equal(await service.metric('tidings_fold_dead_letters_total'), 0);
    await waitUntil('no body is held', async () => (await service.metric('tidings_body_bytes_held')) === 0);
    assert.equal((await service.api('GET', `/api/ranges/${rangeId}`)).status, 200);
    assert.deepEqual(faultsIn(service.log), []);
  });
});
