/**
 * Tests that payloads are parsed as before, although most of each body is skipped: the events are the same, and so are
 * the errors.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePayload } from '../../../../src/intake/cut/payload.ts';
import { treeOf } from '../../../../src/intake/cut/tree.ts';
import { payloadSchemas, toEvents } from '../../../../src/intake/events.ts';
import { toInstallation } from '../../../../src/intake/installations.ts';
import { parseJson } from '../../../../src/intake/json.ts';
import { aCutter, assertCutAsWhole, filtered } from '../../../helpers/cut.ts';
import { readExamples } from '../../../helpers/examples.ts';

const origin = 'https://github.com';
const now = 1_767_225_600_000;

/** Returns what the intake reads from a payload, or its error. */
function read(event: string, payload: object): unknown {
  try {
    return toInstallation(event, payload, origin) ?? toEvents(event, payload, origin, now) ?? 'ignored';
  } catch (error) {
    return error;
  }
}

test('every published payload gives the same events as the whole payload', () => {
  const cutter = aCutter();
  const cuts = new Map([...payloadSchemas].map(([event, schema]) => [event, cutter.cutBy(treeOf(schema))]));
  let count = 0;
  for (const { event, payload, title } of readExamples()) {
    const schema = payloadSchemas.get(event);
    for (const text of [JSON.stringify(payload), JSON.stringify(payload, null, 2)]) {
      const body = Buffer.from(text);
      const parsed = parsePayload(event, body) as object;
      assert.deepEqual(read(event, parsed), read(event, payload), title);
      assert.deepEqual(parsed, schema ? filtered(payload, schema) : payload, title);
      const cut = cuts.get(event);
      if (!schema || !cut) continue;
      assertCutAsWhole(cut, schema, body, true);
      count += 1;
    }
  }
  assert.ok(count > 150, `only ${count} payloads were cut`);
});

test('a payload with faults gets the same error as the whole payload', () => {
  const faulty = [
    '{"action":"opened","pull_request":[{"number":1}],"repository":"x","x":{"y":[]}}',
    '{"action":{"a":[1]},"pull_request":{"number":"1","title":{"a":1},"user":[1],"labels":{"a":1},"base":1,"x":{}}}',
    '{"pull_request":{"labels":[[],1,{"name":{}}]},"repository":{"owner":[],"id":{}},"pull_request_url":""}',
  ];
  for (const text of faulty) {
    const whole = read('pull_request', parseJson(text) as object);
    assert.ok(whole instanceof Error);
    assert.deepEqual(read('pull_request', parsePayload('pull_request', Buffer.from(text)) as object), whole);
  }
});

test('text that is not JSON is refused, wherever it is in the body', () => {
  const bad = ['nul', '01', '"\n"', '"\\x"', '[1,]', '{"b":}', '{"b":1,}', '[1}', '{b:1}', '"\\ud83', ''];
  for (const event of ['pull_request', 'push', 'installation', 'star']) {
    for (const value of bad)
      for (const text of [`{"x":${value}}`, `{"repository":{"x":[${value},1]}}`, `{"action":"a"} ${value},`])
        assert.throws(() => parsePayload(event, Buffer.from(text)), SyntaxError, `${event} ${text}`);
    assert.throws(() => parsePayload(event, Buffer.alloc(0)), SyntaxError);
    assert.throws(() => parsePayload(event, Buffer.from('\ufeff{}')), SyntaxError);
  }
});

test('a value that is not an object is returned as it is', () => {
  for (const text of ['null', '[{"action":1}]', '"a"', '7'])
    assert.deepEqual(parsePayload('push', Buffer.from(text)), JSON.parse(text));
});

test('long integers keep their digits', () => {
  const id = '12345678901234567890';
  const payload = parsePayload('push', Buffer.from(`{"x":${id},"size":${id},"repository":{"id":${id},"n":[${id}]}}`));
  assert.deepEqual(payload, { size: id, repository: { id } });
  // Long digits with leading zeros were always read as text, although JSON does not allow them.
  assert.deepEqual(parsePayload('push', Buffer.from(`{"x":[0${id}]}`)), { x: [`0${id}`] });
});

test('an event without a schema is parsed as a whole', () => {
  for (const event of ['star', '', '__proto__', 'constructor'])
    assert.deepEqual(parsePayload(event, Buffer.from('{"a":{"b":1}}')), { a: { b: 1 } });
});

test('a body that is too large or too deeply nested for the cutter is parsed as a whole', () => {
  const large = Buffer.from(`{"action":"a","x":"${'x'.repeat(1 << 20)}"}`);
  assert.deepEqual(parsePayload('push', large), JSON.parse(large.toString()));
  const deep = `{"action":"a","x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
  assert.equal((parsePayload('push', Buffer.from(deep)) as { action: string }).action, 'a');
});

test('names of Object.prototype are fields like any other', () => {
  const text = '{"__proto__":{"action":"b"},"ref":"r","constructor":1,"repository":{"__proto__":{"id":1}}}';
  const payload = parsePayload('push', Buffer.from(text));
  assert.deepEqual(payload, { ref: 'r', repository: {} });
  assert.equal(Object.getPrototypeOf(payload), Object.prototype);
});
