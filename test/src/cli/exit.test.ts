/**
 * Tests that a slow reader gets the whole output of a command, and that a reader may close the pipe early.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../../src/main.js', import.meta.url));

/** Runs a command whose output is several times the size of a pipe. */
function printing() {
  return spawn(process.execPath, [program, 'openapi'], { stdio: ['ignore', 'pipe', 'pipe'] });
}

/**
 * Waits for `start`, then reads the whole output of a command. If the command ends without waiting for its reader, the
 * unread output is lost.
 */
async function readFrom(output: Readable, start: Promise<unknown>): Promise<string> {
  let printed = '';
  output.setEncoding('utf8');
  for await (const chunk of output) {
    await start;
    printed += chunk;
  }
  return printed;
}

test('a slow reader gets the whole output', async () => {
  const command = printing();
  const closed = once(command, 'close');
  // Reading starts after 1.5 s. A command that does not wait for its reader has ended by that time.
  const start = Promise.race([once(command, 'exit'), delay(1500)]);
  const printed = await readFrom(command.stdout, start);
  assert.equal(JSON.parse(printed).openapi, '3.1.0');
  assert.deepEqual(await closed, [0, null]);
});

test('a reader that leaves early causes no error', async () => {
  const command = printing();
  command.stdout.once('data', () => command.stdout.destroy());
  const [said, [code]] = await Promise.all([text(command.stderr), once(command, 'exit')]);
  assert.deepEqual([said, code], ['', 0]);
});
