/** Tests how titles that were cut are completed from the body. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wholeTitle } from '../../../../src/notes/change/whole-title.ts';

const begin = 'Keep the order of photos in albums that several people ed';
const words = 'Keep the order of photos in albums that several people ';

test('continues a title that a host has cut with the first line of the body', () => {
  const whole = `${begin}it at once (#12)`;
  assert.equal(wholeTitle(`${begin}…`, '…it at once (#12)\n\nMore.'), whole);
  assert.equal(wholeTitle(`${begin}…`, '\r\n\r\n…it at once (#12)\r\nMore.'), whole);
  assert.equal(wholeTitle(`[release-1.2] 🐛 ${begin}…`, '…it at once (#12)'), `[release-1.2] 🐛 ${whole}`);
  assert.equal(wholeTitle(`${words}…`, '…edit at once'), `${words}edit at once`, 'a cut after a blank');
});

test('completes a cut title from the subject of a squashed commit', () => {
  const body = `Some text.\n* test: rows\n* fix:  ${begin}it at once\n`;
  assert.equal(wholeTitle(`fix:  ${begin}…`, body), `fix: ${begin}it at once`);
  assert.equal(wholeTitle(`✨ fix: ${begin}...`, body), `✨ fix: ${begin}it at once`);
});

test('keeps a title that is not cut, or that the body does not complete', () => {
  const cases: [string, string | null][] = [
    [begin, `* ${begin}it at once`],
    [`${begin}…`, null],
    [`${begin}…`, ''],
    [`${begin}…`, 'Other words.'],
    [`${begin}…`, `* ${begin}`],
    [`${begin}…`, `* ${begin}it…`],
    [`${begin}…`, `${begin}it at once`],
    [`${begin}…`, `* ${begin}it at once. I am not sure about it`],
    [`${begin}…`, `…${'it at once '.repeat(30)}`],
    [`${begin}…`, '… more'],
    [`${begin} and...`, '...then close it'],
    ['Wait for it…', '* Wait for it to load'],
    ['Loading...', '...rows'],
  ];
  for (const [title, body] of cases) assert.equal(wholeTitle(title, body), title, title);
});
