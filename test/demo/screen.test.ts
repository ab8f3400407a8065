/**
 * Tests the screen of the demo, which shows the same changes for each reader. The README shows the first of these
 * changes. `node dist/test/demo/screen.test.js --write` writes the current text into the README.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { type Persona, personas } from '../../demo/client.ts';
import { sampleRepository } from '../../demo/history/index.ts';
import { invitation } from '../../demo/invitation.ts';
import { readersText } from '../../demo/screen.ts';
import { textWidth } from '../../demo/terminal/spans.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const markers = /(<!-- excerpts:start -->\n)([\s\S]*?)(<!-- excerpts:end -->)/;
const drafts = Object.fromEntries(
  personas.map((persona) => [persona, readFileSync(join(root, `test/golden/${persona}.md`), 'utf8')]),
) as Record<Persona, string>;
const plain = { width: 80, color: false };

const sights = {
  url: 'http://127.0.0.1:8080',
  opsUrl: 'http://127.0.0.1:9464',
  dashboardUrl: `http://127.0.0.1:8080/#k=${'c'.repeat(43)}`,
  adminKey: `rn_live_${'k'.repeat(36)}`,
  pageUrl: 'http://127.0.0.1:8080/notes/lanternhouse/shoebox/v2.0.0',
  repoId: `repo_${'r'.repeat(28)}`,
  draftId: `draft_${'d'.repeat(28)}`,
  fullName: 'lanternhouse/shoebox',
  dataDir: '/tmp/tidings-demo-ab12CD',
  natsPort: 14222,
};

test('shows each change for each reader, on one screen', () => {
  for (const width of [80, 100]) {
    const text = readersText(drafts, sampleRepository.demoChanges, { ...plain, width });
    const labels = text.split('\n').flatMap((line) => /^ (engineer|internal|customer) /.exec(line)?.[1] ?? []);
    assert.deepEqual(labels, [...personas, ...personas, ...personas]);
    const lines = `${text}${invitation(sights, true)}`.split('\n');
    assert.ok(lines.length <= 44, `${lines.length} lines`);
    for (const line of text.split('\n')) assert.ok(textWidth(line) <= width && line === line.trimEnd(), line);
    for (const line of lines) assert.ok(textWidth(line) <= 100, line);
  }
});

test('shows the same words with and without color', () => {
  const numbers = sampleRepository.demoChanges;
  const colored = readersText(drafts, numbers, { ...plain, color: true });
  assert.notEqual(colored, readersText(drafts, numbers, plain));
  assert.equal(stripVTControlCharacters(colored), readersText(drafts, numbers, plain));
});

test('names the change for which a draft has no entry', () => {
  assert.throws(() => readersText(drafts, [999_999], plain), /The draft has no entry of #999999\./);
});

test('the README shows the first changes that the demo prints', () => {
  const path = join(root, 'README.md');
  const readme = readFileSync(path, 'utf8');
  const shown = `\`\`\`\n${readersText(drafts, sampleRepository.demoChanges.slice(0, 2), plain)}\`\`\`\n`;
  if (process.argv.includes('--write'))
    writeFileSync(
      path,
      readme.replace(markers, (_all, start, _old, end) => `${start}${shown}${end}`),
    );
  assert.equal(markers.exec(readFileSync(path, 'utf8'))?.[2], shown, 'README.md differs');
});
