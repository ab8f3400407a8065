/**
 * Folds a whole history in five orders. All orders lead to the same captured records, byte for byte.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleHistory } from '../../../demo/history/index.ts';
import { capturedOf, orders, type StreamedDelivery } from '../../helpers/orders.ts';
import { epoch } from '../../helpers/partition-records.ts';

/** Returns a generator of numbers between 0 and 1. The same seed always gives the same numbers. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const history = sampleHistory() as readonly StreamedDelivery[];

/**
 * Time of receipt of all deliveries. It is later than every time in the history, because the fold caps times that are
 * later than the receipt.
 */
const afterwards = epoch + 365 * 86_400_000;

test('a history leaves the same records in any order', async (t) => {
  const expected = await capturedOf(t, history, afterwards);
  const kinds = new Set(expected.split('\n').flatMap((line) => /^{"record":"(\w+)"/.exec(line)?.[1] ?? []));
  for (const kind of ['repository', 'pull', 'issue', 'comment', 'tag', 'commit', 'push']) {
    assert.ok(kinds.has(kind), `the history has a ${kind}`);
  }
  for (const [name, order] of Object.entries(orders)) {
    await t.test(name, async (t) => {
      for (const seed of [1, 2, 3]) {
        const captured = await capturedOf(t, order(history, randomOf(seed)), afterwards + seed * 86_400_000);
        assert.ok(captured === expected, `seed ${seed}: ${firstDifference(captured, expected)}`);
      }
    });
  }
});

function firstDifference(a: string, b: string): string {
  const [left, right] = [a.split('\n'), b.split('\n')];
  const at = left.findIndex((line, i) => line !== right[i]);
  return `line ${at}\n${left[at]}\n${right[at]}`;
}
