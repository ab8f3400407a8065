/**
 * The threat model names a test for each threat: the files are there, and so are the titles.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

let root = dirname(fileURLToPath(import.meta.url));
while (!existsSync(join(root, 'package.json'))) root = dirname(root);

/** A row of a table of threats: its test files, of the row before where it says "the same", and the titles that it quotes. */
interface Row {
  threat: string;
  files: string[];
  titles: string[];
}

function readRows(): Row[] {
  const [, threats = ''] = readFileSync(join(root, 'docs/security.md'), 'utf8').split('\n## Threats\n');
  const rows: Row[] = [];
  for (const line of threats.split('\n## ')[0]?.split('\n') ?? []) {
    const [, threat = '', , tests = ''] = line.split(/ ?\| ?/);
    if (!line.startsWith('|') || threat === 'threat' || threat.startsWith('---')) continue;
    const named = [...tests.matchAll(/`(test\/[^`]+)`/g)].map(([, file]) => file as string);
    const files = /^the same\b/.test(tests) ? [...(rows.at(-1)?.files.slice(0, 1) ?? []), ...named] : named;
    rows.push({ threat, files, titles: [...tests.matchAll(/"([^"]+)"/g)].map(([, title]) => title as string) });
  }
  return rows;
}

test('rows of tables stand below their heads', () => {
  const lines = readFileSync(join(root, 'docs/security.md'), 'utf8').split('\n');
  const lost = lines.filter(
    (line, at) => line.startsWith('|') && !lines[at - 1]?.startsWith('|') && !(lines[at + 1] ?? '').startsWith('| ---'),
  );
  assert.deepEqual(lost, []);
});

test('every threat has a test that exists, under the title that is quoted', () => {
  const rows = readRows();
  assert.ok(rows.length > 40, `${rows.length} rows`);
  for (const { threat, files, titles } of rows) {
    assert.ok(files.length > 0, `no test holds: ${threat}`);
    for (const file of files) assert.ok(existsSync(join(root, file)), `${file} is not there: ${threat}`);
    const texts = files.map((file) => readFileSync(join(root, file), 'utf8'));
    for (const title of titles)
      assert.ok(
        texts.some((text) => text.replaceAll("\\'", "'").includes(title)),
        `no test is called "${title}": ${threat}`,
      );
  }
});
