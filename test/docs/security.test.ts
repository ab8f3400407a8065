/**
 * Tests that the threat model names a test for each threat, and that the named test files and titles exist.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

let root = dirname(fileURLToPath(import.meta.url));
while (!existsSync(join(root, 'package.json'))) root = dirname(root);

/**
 * One row of the threat table: the threat, its test files and the quoted titles of its tests. In the table, "the same"
 * means the first test file of the previous row.
 */
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

test('every row of a table is below its head', () => {
  const lines = readFileSync(join(root, 'docs/security.md'), 'utf8').split('\n');
  const lost = lines.filter(
    (line, at) => line.startsWith('|') && !lines[at - 1]?.startsWith('|') && !(lines[at + 1] ?? '').startsWith('| ---'),
  );
  assert.deepEqual(lost, []);
});

test('every threat names a test that exists and has the quoted title', () => {
  const rows = readRows();
  assert.ok(rows.length > 40, `${rows.length} rows`);
  for (const { threat, files, titles } of rows) {
    assert.ok(files.length > 0, `no test is named for: ${threat}`);
    for (const file of files) assert.ok(existsSync(join(root, file)), `${file} does not exist: ${threat}`);
    const texts = files.map((file) => readFileSync(join(root, file), 'utf8'));
    for (const title of titles)
      assert.ok(
        texts.some((text) => text.replaceAll("\\'", "'").includes(title)),
        `no test is called "${title}": ${threat}`,
      );
  }
});
