/**
 * Tests which parts of a note become its excerpt.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { excerptOf } from '../../../../src/channels/text/excerpt.ts';
import { parseMarkdown } from '../../../../src/channels/text/parse.ts';

const excerpt = (bodyMd: string): string => excerptOf(parseMarkdown(bodyMd));
const features = '## Features\n\n- **api:** Show `maps` (#1) <!-- rn:pr:1 -->\n- [Sort](https://a.test/) albums\n';

test('the highlights section has precedence over everything else', () => {
  assert.equal(
    excerpt(`An introduction.\n\n${features}\n## Highlights\n\n- Fast\n- Small\n\n## Fixes\n\n- Leak\n`),
    'Fast · Small',
  );
  assert.equal(excerpt(`## Highlights\n\n## Features\n\n- Show maps\n`), 'Show maps');
});

test('the introduction has precedence over the entries', () => {
  assert.equal(excerpt(`# News\n\nA *quiet*\nmonth.\n\n${features}`), 'A quiet month.');
});

test('the first five entries are shown, without markup and markers', () => {
  assert.equal(excerpt(features), 'api: Show maps (#1) · Sort albums');
  assert.equal(excerpt('- 1a\n- 2a\n\n## More\n\n- 3a\n\n  > quote\n\n- 4a\n- 5a\n- 6a\n'), '1a · 2a · 3a · 4a · 5a');
});

test('a note without paragraphs and entries has no excerpt', () => {
  for (const bodyMd of ['', '# Heading\n', '```\ncode\n```\n', '| a |\n|---|\n| b |\n', '<!-- rn:pr:1 -->\n'])
    assert.equal(excerpt(bodyMd), '', bodyMd);
});
