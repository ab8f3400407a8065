/**
 * One fault of the cluster tests, on a cluster of its own: `test/helpers/faults/freeze-node.ts`. With `--no-time-check` or
 * `--no-fence`, the nodes run without a safety check. The first must double nothing, because the fence is enough. The
 * second must double something, or the test would not notice that the fence is missing.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { endStage, prepareStage, progress, testFaults } from '../../helpers/cluster-faults.ts';
import type { LoadReport } from '../../helpers/cluster-load.ts';
import { isLong, noCluster, noFence, noTimeCheck, rounds } from '../../helpers/cluster-options.ts';
import { freezeNode, freezeOnce } from '../../helpers/faults/freeze-node.ts';
import { buildWithoutTimeCheck, heldMs } from '../../helpers/faults/weakened.ts';

const isWeakened = noTimeCheck || noFence;

if (!isWeakened) testFaults('freeze-node', [freezeNode]);

if (noTimeCheck || (isLong && !isWeakened)) {
  test('a lead that does not look at its clock doubles nothing', { skip: noCluster }, async (t) => {
    const { report, rejected } = await freezeWeakened(t, true, rounds(2, 4));
    assert.deepEqual(report.faults.doubled, []);
    assert.ok(rejected > 0, 'the fence has dropped records');
  });
}

if (noFence || (isLong && !isWeakened)) {
  test('a lead without the fence doubles items', { skip: noCluster }, async (t) => {
    const { report } = await freezeWeakened(t, false, rounds(2, 4));
    t.diagnostic(`doubled: ${report.faults.doubled.join(', ')}`);
    assert.ok(report.faults.doubled.length > 0, 'the test notices that the fence is missing');
  });
}

/** Suspends the node that publishes several times. All nodes run without a safety check. */
async function freezeWeakened(
  t: TestContext,
  fence: boolean,
  all: number,
): Promise<{ report: LoadReport; rejected: number }> {
  const program = await buildWithoutTimeCheck(t, { fence });
  const stage = await prepareStage(t, { program, publishers: 3 });
  let rejected = 0;
  for (let round = 1; round <= all; round += 1) {
    const found = await freezeOnce(stage, heldMs);
    rejected += found.rejected;
    progress(t, `freeze ${round} of ${all}: ${found.rejected} records were dropped`);
  }
  return { report: await endStage(t, stage), rejected };
}
