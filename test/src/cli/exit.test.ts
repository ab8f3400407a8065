/**
 * What a command prints reaches its reader whole, however slowly that reads, and a reader may leave early.
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

/** A command whose output is several times what a pipe holds. */
function printing() {
  return spawn(process.execPath, [program, 'openapi'], { stdio: ['ignore', 'pipe', 'pipe'] });
}

/** All of an output, of which nothing is read before `start`. Output that nobody has asked for is lost when a process ends. */
async function readFrom(output: Readable, start: Promise<unknown>): Promise<string> {
  let printed = '';
  output.setEncoding('utf8');
  for await (const chunk of output) {
    await start;
    printed += chunk;
  }
  return printed;
}

test('a slow reader gets all of it', async () => {
  const command = printing();
  const closed = once(command, 'close');
  // Whoever does not wait for the reader has ended by then.
  const start = Promise.race([once(command, 'exit'), delay(1500)]);
  const printed = await readFrom(command.stdout, start);
  assert.equal(JSON.parse(printed).openapi, '3.1.0');
  assert.deepEqual(await closed, [0, null]);
});

test('a reader that leaves is no failure', async () => {
  const command = printing();
  command.stdout.once('data', () => command.stdout.destroy());
  const [said, [code]] = await Promise.all([text(command.stderr), once(command, 'exit')]);
  assert.deepEqual([said, code], ['', 0]);
});
