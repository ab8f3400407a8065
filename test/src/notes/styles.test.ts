/**
 * Compares drafts of small invented repositories, one for each house style, with the reviewed drafts in
 * `test/golden/styles/`. Also checks rules that hold for every draft, whatever the style.
 * `node dist/test/src/notes/styles.test.js --write` writes the current drafts. Review the difference afterwards.
 */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { compose } from '../../../src/notes/draft/compose.ts';
import type { Persona } from '../../../src/protocol/stored.ts';
import { memorySource } from './memory-source.ts';
import { styles } from './styles/index.ts';

const root = fileURLToPath(new URL('../../../../test/golden/styles/', import.meta.url));
const personas: Persona[] = ['engineer', 'internal', 'customer'];
const isWriting = process.argv.includes('--write');

for (const { name, memory, bounds } of styles) {
  test(`the drafts of the style ${name} equal the reviewed ones`, () => {
    for (const persona of personas) {
      const path = join(root, name, `${persona}.md`);
      const written = compose(memorySource(memory), bounds, persona).bodyMd;
      if (isWriting) {
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, written);
      }
      assert.equal(written, readFileSync(path, 'utf8'), `${path} differs`);
    }
  });
}
