/**
 * Tests the output of commands: a hostile name stays on its line and cannot control the terminal. No command prints
 * without this protection.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { printLines, printText } from '../../../src/cli/print.ts';

/** Calls `print` and returns the text that it writes to standard output. */
function printed(t: TestContext, print: () => void): string {
  let text = '';
  const write = t.mock.method(process.stdout, 'write', (chunk: string) => {
    text += chunk;
    return true;
  });
  try {
    print();
  } finally {
    write.mock.restore();
  }
  return text;
}

test('a line end in a name is escaped', (t) => {
  const text = printed(t, () => printLines(['a\nkey_1  forged', 'b\u009b2J', 'c\u2028d']));
  assert.equal(text, 'a\\u000akey_1  forged\nb\\u009b2J\nc\\u2028d\n');
});

test('an empty list prints its message', (t) => {
  assert.equal(
    printed(t, () => printLines([], 'There are none.')),
    'There are none.\n',
  );
  assert.equal(
    printed(t, () => printLines([])),
    '',
  );
});

test('texts keep their line ends', (t) => {
  assert.equal(
    printed(t, () => printText('{\n  "a": "\u202e"\n}')),
    '{\n  "a": "\\u202e"\n}\n',
  );
});

test('commands print through one function', () => {
  const folder = fileURLToPath(new URL('../../../../src/cli/', import.meta.url));
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const direct = files.filter((file) =>
    /process\.stdout\.write|console\./.test(readFileSync(join(folder, file), 'utf8')),
  );
  assert.deepEqual(direct, ['print.ts']);
});
