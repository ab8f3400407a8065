/**
 * Compares the rate at which three nodes accept deliveries with that of one node. The benchmark `cluster-accept` measures
 * and judges it, and looks up every accepted delivery on each node.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isLong, noCluster, rounds } from '../helpers/cluster-options.ts';

const program = fileURLToPath(new URL('../../bench/run.js', import.meta.url));
const only = !isLong && 'it measures, so only in the long form: npm run test:cluster -- throughput --long';

test('three nodes accept deliveries at a third of the rate of one', { skip: noCluster || only }, async (t) => {
  const args = ['--enable-source-maps', program, 'cluster-accept', '--add', '--rounds', String(rounds(5, 5))];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  for (const line of output.slice(output.indexOf('cluster-accept:')).trimEnd().split('\n')) t.diagnostic(line);
  assert.equal(code, 0, 'all lines hold');
});
