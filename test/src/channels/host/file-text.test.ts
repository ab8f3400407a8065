/**
 * Tests the insertion of a version's notes into a file. The notes get the right position, and the rest of the file
 * stays the same. A second insertion of the same notes changes nothing.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DeliveryError } from '../../../../src/channels/channel.ts';
import { withVersion } from '../../../../src/channels/host/file-text.ts';
import { toHostMarkdown } from '../../../../src/channels/host/host-markdown.ts';
import { sampleNote } from '../../../helpers/host-note.ts';

const notes = { version: 'v2.0.0', suffix: '(2026-02-03)', bodyMd: '## Features\n\n- New\n' };
const section = '## v2.0.0 (2026-02-03)\n\n### Features\n\n- New\n';

function put(text: string | null, changes: Partial<typeof notes> = {}): string {
  return withVersion(text, 'Changelog', { ...notes, ...changes });
}

test('a missing or empty file is created', () => {
  assert.equal(put(null), `# Changelog\n\n${section}`);
  assert.equal(put(''), `# Changelog\n\n${section}`);
  assert.equal(put('\ufeff\n'), `\ufeff# Changelog\n\n${section}`);
});

test('a version is inserted below the title and the text under it', () => {
  assert.equal(put('# Changes\n\nAll of them.\n'), `# Changes\n\nAll of them.\n\n${section}`);
  const old = '# Changes\n\nAll of them.\n\n## 1.0.0\n\n- Old\n';
  assert.equal(put(old), `# Changes\n\nAll of them.\n\n${section}\n## 1.0.0\n\n- Old\n`);
});

test('a version is inserted below the unreleased changes', () => {
  const old = '# Changelog\n\n## [Unreleased]\n\n### Added\n\n- Soon\n\n## [1.0.0] - 2025-01-01\n\n- Old\n';
  const expected = `# Changelog\n\n## [Unreleased]\n\n### Added\n\n- Soon\n\n${section}\n## [1.0.0] - 2025-01-01\n\n- Old\n`;
  assert.equal(put(old), expected);
});

test('link definitions stay at the end', () => {
  const links = '[unreleased]: https://host.test/compare\n[1.0.0]: https://host.test/v1\n';
  assert.equal(
    put(`# Changelog\n\n## [Unreleased]\n\n${links}`),
    `# Changelog\n\n## [Unreleased]\n\n${section}\n${links}`,
  );
  const first = put(`# Changelog\n\n## [2.0.0] - 2026-02-01\n\n- Draft\n\n${links}`);
  assert.equal(first, `# Changelog\n\n## [2.0.0] - 2026-02-01\n\n### Features\n\n- New\n\n${links}`);
});

test('an existing version is replaced in every form of its heading', () => {
  const headings = [
    '## v2.0.0',
    '## 2.0.0',
    '## [2.0.0] - 2026-02-01',
    '## [v2.0.0](https://host.test/a_(b)) (2026-02-01)',
    '## Version 2.0.0',
    '## **2.0.0** ##',
    '## 2.0.0 / 2026-02-01',
    '## 2.0.0: the rocket',
    '## 2.0.0 2026-02-01',
    '2.0.0 / 2026-02-01\n==================',
    'v2.0.0\n---',
  ];
  for (const heading of headings) {
    const level = heading.includes('===') ? '##' : '###';
    const after = level === '##' ? '1.0.0\n=====\n\n- Old\n' : '## 1.0.0\n\n- Old\n';
    const text = put(`# Title\n\n${heading}\n\n- Wrong\n\n${level} Fixes\n\n- Wrong\n\n${after}`);
    assert.equal(text, `# Title\n\n${heading}\n\n${level} Features\n\n- New\n\n${after}`, heading);
  }
});

test('a similar version is not replaced', () => {
  const others = ['2.0.0-rc.1', '2.0.0.1', '12.0.0', 'v2.0.01', 'v2.0.0/mac', 'About 2.0.0', '2.0', 'V2.0.0x'];
  for (const other of others) {
    const old = `# Changelog\n\n## ${other}\n\n- Old\n`;
    const text = put(old);
    assert.ok(text.includes(`## ${other}\n\n- Old\n`) && text.includes(section), other);
  }
});

test('headings in code, comments and notes of other versions are ignored', () => {
  const hidden = [
    '```md\n## v2.0.0\n```',
    '<!--\n## v2.0.0\n-->',
    '    ## v2.0.0',
    '### v2.0.0',
    '- item\n  ## v2.0.0',
    '> ## v2.0.0',
  ];
  for (const text of hidden) {
    const old = `# Changelog\n\n## 3.0.0\n\n${text}\n`;
    assert.equal(put(old), `# Changelog\n\n${section}\n## 3.0.0\n\n${text}\n`, text);
  }
});

test('a file whose code or comment never ends is not changed', () => {
  for (const open of ['```\ncode', '<!-- later']) {
    for (const heading of ['', '## v2.0.0\n\n', '## [Unreleased]\n\n'])
      assert.throws(() => put(`# Changelog\n\n${heading}${open}\n`), { outcome: 'refused', message: /without an end/ });
    const old = `# Changelog\n\n## 1.0.0\n\n${open}\n`;
    assert.equal(put(old), `# Changelog\n\n${section}\n## 1.0.0\n\n${open}\n`);
  }
});

test('line ends and the byte order mark are kept', () => {
  const old = '\ufeff# Changelog\r\n\r\n## 1.0.0\r\n\r\n- Old\r\n';
  const text = put(old);
  assert.equal(text, `\ufeff# Changelog\r\n\r\n${section.replaceAll('\n', '\r\n')}\r\n## 1.0.0\r\n\r\n- Old\r\n`);
  assert.equal(put(text), text);
});

test('a new version gets the heading level of the other versions', () => {
  assert.equal(put('# 1.0.0\n\n- Old\n'), '# v2.0.0 (2026-02-03)\n\n## Features\n\n- New\n\n# 1.0.0\n\n- Old\n');
});

test('underlined headings of the notes are moved below the version', () => {
  const text = put(null, { bodyMd: 'One\n===\n\nText\n\nTwo\n---\n\n# Three' });
  assert.equal(text, '# Changelog\n\n## v2.0.0 (2026-02-03)\n\n### One\n\nText\n\n#### Two\n\n### Three\n');
});

test('hostile versions are inserted and found as they are', () => {
  const versions = [
    'release/1.0#rc',
    '@scope/pkg@1.0.0',
    'v1_<b>_`x`',
    '[a](b)',
    'a|b&amp;',
    '2026-01-01 to 2026-02-01',
  ];
  for (const version of versions) {
    const once = put('# Changelog\n\n## 1.0.0\n\n- Old\n', { version });
    assert.equal(put(once, { version }), once, version);
    assert.equal(once.split('### Features').length, 2, version);
    const other = put(once, { version: `${version}2` });
    assert.equal(other.split('### Features').length, 3, version);
  }
  const days = put(put(null, { version: '2026-01-01' }), { version: '2026-01-01 to 2026-02-01' });
  assert.equal(days.split('### Features').length, 3);
});

/** Returns the file's new text. If `put` refuses the old text, fast-check skips the case. */
function putOrPass(text: string, changes: Partial<typeof notes>): string {
  try {
    return put(text, changes);
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error;
    return fc.pre(false) as never;
  }
}

const line = fc.oneof(
  fc.constantFrom('# Changelog', '## [Unreleased]', '## 1.0.0', '## v2.0.0', '# v2.0.0', 'v2.0.0', '---', '===', '```'),
  fc.constantFrom(
    '~~~',
    '<!--',
    '-->',
    '- item',
    '  - inner',
    '> quote',
    '',
    '',
    '[1.0.0]: https://host.test',
    '### v2.0.0',
  ),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
);
const file = fc
  .tuple(fc.constantFrom('', '\ufeff'), fc.array(line, { maxLength: 24 }), fc.constantFrom('\n', '\r\n'), fc.boolean())
  .map(([mark, lines, end, closed]) => mark + lines.join(end) + (closed ? end : ''));
const body = fc.array(line, { maxLength: 12 }).map((lines) => toHostMarkdown(sampleNote({ bodyMd: lines.join('\n') })));

test('inserting a version twice has the same result as once', () => {
  fc.assert(
    fc.property(file, body, fc.constantFrom('v2.0.0', '2.0.0', 'a b', 'v2.0.0-rc.1'), (text, bodyMd, version) => {
      const once = putOrPass(text, { bodyMd, version });
      assert.equal(put(once, { bodyMd, version }), once);
    }),
    { numRuns: 3000 },
  );
});

test('the rest of the file stays the same, byte for byte', () => {
  fc.assert(
    fc.property(file, body, (text, bodyMd) => {
      const version = 'v9.9.9';
      const first = putOrPass(text, { bodyMd, version });
      const second = put(first, { bodyMd: 'Other.\n', version });
      const [before = '', after = ''] = parts(second);
      // New blank lines may separate the notes from the text around them. Nothing else is added or lost.
      if (text.replace('\ufeff', '').trim() === '') return;
      assert.ok(text.startsWith(before.trimEnd()), 'before');
      assert.ok(text.endsWith(after), 'after');
      assert.equal((before.trimEnd() + after).replace(/\s/g, ''), text.replace(/\s/g, ''));
    }),
    { numRuns: 3000 },
  );
});

function parts(text: string): string[] {
  return text.split(/#+ v9\.9\.9 \(2026-02-03\)\r?\n\r?\nOther\.\r?\n(?:\r?\n)?/);
}
