/** Tests renames of labels. The renames arrive in a different order than the host made them. */
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

test('a label gets its last name, in whatever order its renames arrive', async (t) => {
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
    // This record already has the name `defect`, which the first rename (`bug` to `defect`) assigned.
    assert.deepEqual(currentLabels(['defect'], 11, changes), isGone ? [] : ['kind: bug'], String(order));
  }
});

test('labels are not mixed up when one takes a former name of another, or gets its own former name back', async (t) => {
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
