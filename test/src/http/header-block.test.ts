/**
 * Tests that no value can end its header, and that clients receive the headers of a block as separate headers.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { withHeader, withHeaders } from '../../../src/http/header-block.ts';

test('a block has one line per header', () => {
  assert.equal(withHeaders(withHeader('200 OK', 'A', '1'), ['B', '2', 'C', '']), '200 OK\r\nA: 1\r\nB: 2\r\nC: ');
});

test('no value can add a header or end the head', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: fc.constantFrom('\r', '\n', '\0', ':', ' ', 'a') })), (values) => {
      const block = withHeaders(
        '200 OK',
        values.flatMap((value, i) => [`H${i}`, value]),
      );
      const lines = block.split(/\r\n|\r|\n|\0/);
      assert.equal(lines.length, 1 + values.length);
      for (const [i, line] of lines.slice(1).entries()) assert.ok(line.startsWith(`H${i}: `));
    }),
  );
});
