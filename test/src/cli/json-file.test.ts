/**
 * Tests how a command reads a JSON file. The error for a file that is not valid JSON states the place of the fault.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { readJsonFile } from '../../../src/cli/json-file.ts';
import { UsageError } from '../../../src/cli/usage.ts';
import { temporaryFolder } from '../../helpers/ports.ts';

test('the place of the first fault is stated', (t) => {
  const file = join(temporaryFolder(t), 'notes.json');
  const faults: [string, string][] = [
    ['links: short', 'unexpected "links: short" at line 1, column 1'],
    ['', 'unexpected end at line 1, column 1'],
    ['{\n  "links": "short"', 'unexpected end at line 2, column 19'],
    ['{\n  "links": "short",\n}', 'unexpected "}" at line 3, column 1'],
    ['{"a": 1,\r\n "b" 2}', 'unexpected "2}" at line 2, column 6'],
    ['{"a": [1, tru]}', 'unexpected "tru]}" at line 1, column 11'],
    ['{"a": "two\nlines"}', 'unexpected "\\"two\\nlines\\"}" at line 1, column 7'],
    ['{"a": 01}', 'unexpected "01}" at line 1, column 7'],
    ["{'a': 1}", 'unexpected "\'a\': 1}" at line 1, column 2'],
    ['{} // done', 'unexpected "// done" at line 1, column 4'],
    ['[1 2]', 'unexpected "2]" at line 1, column 4'],
    ['[1, ]', 'unexpected "]" at line 1, column 5'],
    ['{"a"}', 'unexpected "}" at line 1, column 5'],
    ['[]]', 'unexpected "]" at line 1, column 3'],
  ];
  for (const [text, fault] of faults) {
    writeFileSync(file, text);
    assert.throws(
      () => readJsonFile(file),
      (error) => {
        assert.ok(error instanceof UsageError);
        assert.equal(error.message, `${file} is not valid JSON: ${fault}`);
        return true;
      },
    );
  }
});

test('the place of a fault is stated in a file with very long strings and many brackets', (t) => {
  const file = join(temporaryFolder(t), 'notes.json');
  const long = `"${'words \\n'.repeat(2_500_000)}"`;
  const cases = [
    [`{"a": ${long} 1}`, `unexpected "1}" at line 1, column ${long.length + 8}`],
    [`[\n${'['.repeat(1_000_000)}}`, 'unexpected "}" at line 2, column 1000001'],
    [`${' '.repeat(10_000_000)}x`, 'unexpected "x" at line 1, column 10000001'],
    [`[${'1'.repeat(10_000_000)} 2]`, 'unexpected "2]" at line 1, column 10000003'],
  ];
  for (const [text, fault] of cases) {
    writeFileSync(file, text as string);
    assert.throws(() => readJsonFile(file), new UsageError(`${file} is not valid JSON: ${fault}`));
  }
});

test('the part before a fault can be continued to valid JSON, or the fault is its last token', (t) => {
  const file = join(temporaryFolder(t), 'notes.json');
  fc.assert(
    fc.property(fc.json(), fc.nat(), fc.constantFrom('}', ']', ',', ':', '"', '\\', 'x', '-'), (json, seed, sign) => {
      const at = seed % (json.length + 1);
      const text = json.slice(0, at) + sign + json.slice(at);
      writeFileSync(file, text);
      try {
        assert.deepEqual(readJsonFile(file), JSON.parse(text));
      } catch (error) {
        const [, column] = /at line 1, column (\d+)$/.exec((error as Error).message) ?? [];
        assert.ok(Number(column) >= 1 && Number(column) <= text.length + 1, (error as Error).message);
        assert.throws(() => JSON.parse(text), SyntaxError);
      }
    }),
    { numRuns: 500 },
  );
});

test('valid JSON is returned', (t) => {
  const file = join(temporaryFolder(t), 'notes.json');
  writeFileSync(file, ' {"a": ["\\u00e9\\n", -1.5e3, true, false, null, {}]}\n');
  assert.deepEqual(readJsonFile(file), { a: ['é\n', -1500, true, false, null, {}] });
});

test('a file that cannot be read is named with the reason', (t) => {
  const folder = temporaryFolder(t);
  const missing = join(folder, 'none.json');
  assert.throws(() => readJsonFile(missing), { message: `${missing} cannot be read: the file does not exist` });
  assert.throws(() => readJsonFile(folder), { message: `${folder} cannot be read: it is a folder` });
});
