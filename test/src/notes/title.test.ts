/**
 * Titles in their parts, and the pull requests that only make a release.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRelease, parseTitle } from '../../../src/notes/title.ts';
import { processorMs } from '../../helpers/processor-time.ts';

function parts(title: string): [string | null, boolean, string, string] {
  const { type, breaking, areas, text } = parseTitle(title);
  return [type, breaking, areas.join('|'), text];
}

test('reads conventional prefixes', () => {
  assert.deepEqual(parts('feat(parser)!: add x'), ['feature', true, 'parser', 'Add x']);
  assert.deepEqual(parts('fix: `a` breaks'), ['fix', false, '', '`a` breaks']);
  assert.deepEqual(parts('docs(api,cli): more'), ['documentation', false, 'api|cli', 'More']);
  assert.deepEqual(parts('chore!: drop Node 18'), [null, true, '', 'Drop Node 18']);
  assert.deepEqual(parts('ci: faster'), [null, false, '', 'Faster']);
});

test('reads signs and bracketed prefixes', () => {
  assert.deepEqual(parts('✨ Add taints'), ['feature', false, '', 'Add taints']);
  assert.deepEqual(parts('⚠️ ✨ clusterctl: Block move'), ['feature', true, 'clusterctl', 'Block move']);
  assert.deepEqual(parts('[release-1.12] :bug: fix: send it'), ['fix', false, '', 'Send it']);
  assert.deepEqual(parts('[release-1.13]🌱Bump x'), [null, false, '', 'Bump x']);
  assert.deepEqual(parts('(2.15) [FIXED] slow start.'), ['fix', false, '', 'Slow start']);
  assert.equal(parseTitle('[Backport 4.x] fix: it').target, 'Backport 4.x');
});

test('keeps what may be an identifier and what it does not know', () => {
  assert.equal(parseTitle('setErrorHandler throws').text, 'setErrorHandler throws');
  assert.equal(parseTitle('npm ignores files').text, 'npm ignores files');
  assert.equal(parseTitle('[PoC] a thing').text, '[PoC] a thing');
  assert.equal(parseTitle('What: is this now').text, 'Is this now');
  assert.equal(parseTitle('Wait for https://x.example').text, 'Wait for https://x.example');
});

test('takes off the numbers that tools append', () => {
  assert.equal(parseTitle('fix: reorder it (#12) (#34)').text, 'Reorder it');
  assert.equal(parseTitle('(#12)').text, '(#12)');
});

test('knows titles that only make a release', () => {
  const yes = [
    'Release v1.2.3',
    'chore(main): release 1.2.3',
    '🚀 Release v1.9.0-rc.1',
    '🌱 Release v1.2.0',
    'Bump version',
    'v5.1.0',
    'Bumped v5.1.0',
  ];
  const more = [
    'chore: release @acme/rocket@1.2.3',
    'Prepare main for v1.11 development',
    'Prepare release v2.0.0',
    'Bump version to 2.0.0',
  ];
  for (const title of [...yes, ...more]) assert.equal(isRelease(parseTitle(title)), true, title);
  const no = [
    'Release the lock',
    '🚀 Faster start',
    'govulncheck: bump to v1.1.4',
    'Bump go to v1.22.1',
    'Support v1.2.3',
    'Prepare statements once',
  ];
  for (const title of no) assert.equal(isRelease(parseTitle(title)), false, title);
});

test('parses hostile titles in time', () => {
  for (const unit of ['(a', '[', '🐛', 'feat(', 'a:', '#1)', '(#1', 'fix: ']) {
    assert.ok(processorMs(() => isRelease(parseTitle(unit.repeat(30_000)))) < 500, unit);
  }
});
