/**
 * Tests the JSON parser. An integer that is too large for an exact number becomes a string. For everything else, the
 * parser returns the same values as `JSON.parse`.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseJson } from '../../../src/intake/json.ts';

test('long integers keep their digits at every place in a payload', () => {
  const digits = fc.stringMatching(/^[1-9]\d{0,24}$/);
  fc.assert(
    fc.property(fc.string({ maxLength: 40 }), digits, fc.array(digits, { maxLength: 4 }), (before, id, more) => {
      const read = parseJson(`{${JSON.stringify(before)}:1,"id":${id},"more":[${more.join(', ')}],"text":"${id}"}`);
      const kept = (text: string) => (Number.isSafeInteger(Number(text)) ? Number(text) : text);
      assert.deepEqual(read, { [before]: 1, id: kept(id), more: more.map(kept), text: id });
    }),
    { numRuns: 2000 },
  );
});

test('digits in texts, fractions and exponents stay as they are', () => {
  const text = '{"a":"12345678901234567890, 12345678901234567890","b":1234567890123456.5,"c":12345678901234567e3}';
  assert.deepEqual(parseJson(text), JSON.parse(text));
  assert.throws(() => parseJson('{"a":12345678901234567890'), SyntaxError);
});
