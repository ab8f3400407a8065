/**
 * Drafts of the sample repository as they were read and found good: three personas of a large release in `test/golden/`, and of
 * a small one in the README. `node dist/test/src/notes/golden.test.js --write` writes them anew; read what changed.
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
const anew = process.argv.includes('--write');
const markers = /(<!-- drafts:start -->\n)([\s\S]*?)(<!-- drafts:end -->)/;

test('writes the drafts of a large release as they were read', async (t) => {
  const draft = await sampleDrafts(t);
  for (const persona of personas) {
    const path = join(root, `test/golden/${persona}.md`);
    const written = draft('v1.3.0', 'v2.0.0', persona);
    if (anew) writeFileSync(path, written);
    assert.equal(written, readFileSync(path, 'utf8'), `${path} differs`);
  }
});

test('shows the drafts of a small release in the README', async (t) => {
  const draft = await sampleDrafts(t);
  const shown = personas
    .map((persona) => `\`${persona}\`:\n\n~~~md\n${draft('v1.2.0', 'v1.2.1', persona)}~~~\n`)
    .join('\n');
  const path = join(root, 'README.md');
  const readme = readFileSync(path, 'utf8');
  assert.match(readme, markers);
  if (anew)
    writeFileSync(
      path,
      readme.replace(markers, (_all, start, _old, end) => `${start}\n${shown}\n${end}`),
    );
  assert.equal(markers.exec(readFileSync(path, 'utf8'))?.[2], `\n${shown}\n`, 'README.md differs');
});
