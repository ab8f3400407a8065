/**
 * Tests reading of Link headers, both valid and malformed.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linksOf } from '../../../src/host/link.ts';
import { processorMs } from '../../helpers/processor-time.ts';

const here = 'https://api.example.com/repositories/1/pulls?page=2';
const at = (page: string): string => `https://api.example.com/repositories/1/pulls?page=${page}`;

test('reads next and last in any order and form', () => {
  const header = `<${at('1')}>; rel="prev first", <${at('9')}>; title="a, b"; REL=last , <${at('3')}> ;rel="x Next"`;
  assert.deepEqual(linksOf(header, here), { next: at('3'), pages: 9 });
});

test('the last page reports the number of pages', () => {
  assert.deepEqual(linksOf(`<${at('1')}>; rel="prev"`, here), { next: null, pages: 2 });
  assert.deepEqual(linksOf(null, 'https://api.example.com/tags?per_page=100'), { next: null, pages: 1 });
});

test('without a last page the number is unknown', () => {
  assert.deepEqual(linksOf(`<${at('3')}>; rel="next"`, here), { next: at('3'), pages: null });
  assert.deepEqual(linksOf(`<${at('3')}>; rel="next", <${at('many')}>; rel="last"`, here).pages, null);
});

test('makes a relative address absolute and keeps any other', () => {
  assert.equal(linksOf('</repositories/1/pulls?page=3>; rel="next"', here).next, at('3'));
  assert.equal(
    linksOf('<https://x.example.com/a:b{c}?q=%2f>; rel="next"', here).next,
    'https://x.example.com/a:b{c}?q=%2f',
  );
});

test('reads nothing from an invalid header', () => {
  for (const header of [
    '',
    '<',
    '<>; rel="next"',
    at('3'),
    `<${at('3')}; rel="next"`,
    `<${at('3')}>; rel="nextpage"`,
    '>;rel=next<',
  ])
    assert.equal(linksOf(header, here).next, null, header);
});

test('reads a long hostile header quickly', () => {
  const headers = [
    '<'.repeat(60_000),
    `<a>${'; '.repeat(30_000)}`,
    `<a>; rel${' '.repeat(60_000)}x`,
    '<a>;rel=,'.repeat(7000),
  ];
  for (const header of headers) {
    assert.ok(processorMs(() => linksOf(header, here)) < 500, header.slice(0, 10));
  }
});
