/** Renames of labels that come in another order than they were made. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  currentLabels,
  type LabelChange,
  listLabelChanges,
  writeLabelChange,
} from '../../../../src/store/tables/labels.ts';
import { openTestPartition } from '../../../helpers/partition.ts';

const renames: LabelChange[] = [
  { id: '1', from: 'bug', to: 'defect', seenAt: 0 },
  { id: '1', from: 'defect', to: 'kind: bug', seenAt: 0 },
  { id: '1', from: 'kind: bug', to: null, seenAt: 0 },
];

test('whatever the order of arrival, a label is called what it was called last', async (t) => {
  for (const [i, order] of [
    [0, 1],
    [1, 0],
    [0, 1, 2],
    [2, 1, 0],
    [1, 2, 0],
    [2, 0, 1],
  ].entries()) {
    const partition = openTestPartition(t, `p0${i}`);
    await partition.write(() => {
      for (const [nth, each] of order.entries()) {
        writeLabelChange(partition, 'repo_1', { ...(renames[each] as LabelChange), seenAt: 10 + nth });
      }
    });
    const changes = listLabelChanges(partition, 'repo_1');
    const isGone = order.length === 3;
    assert.deepEqual(currentLabels(['bug', 'x'], 5, changes), isGone ? ['x'] : ['kind: bug', 'x'], String(order));
    // A record of after the first of them knows the name that the first gave.
    assert.deepEqual(currentLabels(['defect'], 11, changes), isGone ? [] : ['kind: bug'], String(order));
  }
});

test('labels that take a name another one gave up are not mixed up, nor is one that goes back', async (t) => {
  const partition = openTestPartition(t);
  await partition.write(() => {
    writeLabelChange(partition, 'repo_1', { id: '1', from: 'b', to: 'c', seenAt: 1 });
    writeLabelChange(partition, 'repo_1', { id: '2', from: 'a', to: 'b', seenAt: 2 });
    writeLabelChange(partition, 'repo_1', { id: '3', from: 'y', to: 'z', seenAt: 3 });
    writeLabelChange(partition, 'repo_1', { id: '3', from: 'z', to: 'y', seenAt: 4 });
    writeLabelChange(partition, 'repo_1', { from: 'm', to: 'n', seenAt: 5 });
  });
  const changes = listLabelChanges(partition, 'repo_1');
  assert.deepEqual(currentLabels(['a', 'y', 'm'], 0, changes), ['b', 'y', 'n']);
});
