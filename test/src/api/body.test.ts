/**
 * Tests the parser of request bodies. It refuses a body that two parsers could read differently.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseBody } from '../../../src/api/body.ts';
import { ServiceError } from '../../../src/foundation/errors.ts';

const json = 'application/json';

function faultOf(body: string | Buffer, type = json): ServiceError {
  try {
    parseBody(type, Buffer.from(body as string));
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new Error('the body was accepted');
}

test('parseBody returns the same value as JSON.parse', () => {
  const value = fc.jsonValue({ maxDepth: 6, noUnicodeString: false });
  fc.assert(
    fc.property(value, fc.integer({ min: 0, max: 4 }), (written, indent) => {
      const text = JSON.stringify(written, null, indent);
      if (text.includes('"__proto__"')) return;
      assert.deepEqual(parseBody(json, Buffer.from(text)), JSON.parse(text));
    }),
    { numRuns: 2000 },
  );
});

test('strings that look like JSON stay strings', () => {
  for (const text of ['{"a": 1, "a": 2}', '"a":', '\\', '\\"', '\\\\"a":', '[[[', '"__proto__":'])
    assert.deepEqual(parseBody(json, Buffer.from(JSON.stringify({ a: text, [text]: text }))), {
      a: text,
      [text]: text,
    });
});

test('the error names every repeated field, and names in different objects are not repeated', () => {
  const fault = faultOf('{"persona": "engineer", "persona" : "customer", "a": {"b": 1, "\\u0062": 2}}');
  assert.deepEqual(fault.details, {
    persona: 'expected this field once, got it several times',
    b: 'expected this field once, got it several times',
  });
  assert.equal(fault.kind, 'invalid');
  const apart = '{"a": {"x": 1}, "b": {"x": 1}, "c": [{"x": 1}, {"x": 1}], "x": 1}';
  assert.deepEqual(parseBody(json, Buffer.from(apart)), JSON.parse(apart));
  assert.equal(Object.keys(faultOf(`{${'"a":1,"a":1,"b":1,'.repeat(9)}"c":1}`).details ?? {}).length, 2);
});

test('the name __proto__ is refused', () => {
  for (const body of ['{"__proto__": {"channel": "hosted"}}', '{"labels": {"\\u005f_proto__": {"type": "fix"}}}'])
    assert.deepEqual(faultOf(body).details, { ['__proto__']: 'expected another name' });
});

test('a body that is not UTF-8, not JSON or nested too deeply is refused', () => {
  assert.match(faultOf(Buffer.from('{"bodyMd": "caf\xe9"}', 'latin1')).message, /expected UTF-8/);
  for (const body of ['{', '\ufeff{}', 'undefined']) assert.match(faultOf(body).message, /not JSON/);
  assert.match(faultOf(`{"draftId": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`).message, /at most 32 levels/);
  assert.match(faultOf('').message, /got nothing/);
  assert.equal(faultOf('{}', 'text/plain').kind, 'unsupportedMediaType');
});
