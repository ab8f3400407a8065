/**
 * Compares drafts of the sample repository with reviewed drafts. `test/golden/` contains the drafts of a large release
 * for three personas. `docs/drafts.md` contains the drafts of a small release.
 * `node dist/test/src/notes/golden.test.js --write` writes the current drafts. Review the difference afterwards.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Persona } from '../../../src/protocol/stored.ts';
import { sampleDrafts } from '../../helpers/sample.ts';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const personas: Persona[] = ['engineer', 'internal', 'customer'];
const isWriting = process.argv.includes('--write');
const markers = /(<!-- drafts:start -->\n)([\s\S]*?)(<!-- drafts:end -->)/;

test('the drafts of a large release equal the reviewed ones', async (t) => {
  const draft = await sampleDrafts(t);
  for (const persona of personas) {
    const path = join(root, `test/golden/${persona}.md`);
    const written = draft('v1.3.0', 'v2.0.0', persona);
    if (isWriting) writeFileSync(path, written);
    assert.equal(written, readFileSync(path, 'utf8'), `${path} differs`);
  }
});

test('docs/drafts.md shows the drafts of a small release', async (t) => {
  const draft = await sampleDrafts(t);
  const shown = personas
    .map((persona) => `\`${persona}\`:\n\n~~~md\n${draft('v1.2.0', 'v1.2.1', persona)}~~~\n`)
    .join('\n');
  const path = join(root, 'docs/drafts.md');
  const document = readFileSync(path, 'utf8');
  assert.match(document, markers);
  if (isWriting)
    writeFileSync(
      path,
      document.replace(markers, (_all, start, _old, end) => `${start}\n${shown}\n${end}`),
    );
  assert.equal(markers.exec(readFileSync(path, 'utf8'))?.[2], `\n${shown}\n`, 'docs/drafts.md differs');
});
