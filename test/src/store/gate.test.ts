/**
 * Tests the gate of a partition, which makes opening and committing take turns. Some processes open a partition while
 * another process commits to it. No commit is lost, even if a process is killed while it opens the partition.
 */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { test } from 'node:test';
import { openGate } from '../../../src/store/gate.ts';
import { readTime, writeTime } from '../../../src/store/tables/meta.ts';
import { afterwards, kill } from '../../helpers/cleanup.ts';
import { openTestPartition } from '../../helpers/partition.ts';
import { keepOpening } from '../../helpers/partition-opener.ts';
import { startReader } from '../../helpers/partition-reader.ts';
import { temporaryFolder } from '../../helpers/ports.ts';

test('a writer loses no commit while other processes open the file', async (t) => {
  const dataDir = temporaryFolder(t);
  const partition = openTestPartition(t, 'p00', dataDir);
  let opens = 0;
  const start = () => keepOpening(dataDir, 'p00', () => void opens++);
  const openers = [start(), start()];
  afterwards(t, () => Promise.all(openers.map(kill)));
  let [time, lost] = [0, 0];
  const commit = async (): Promise<void> => {
    await partition.write(() => {
      if (readTime(partition) !== time) lost += 1;
      writeTime(partition, time + 1);
    });
    time += 1;
  };
  for (let round = 1; round <= 5; round++) {
    // Loops until there are enough openings and enough commits. Depending on the disk, either openings or commits are
    // faster.
    while (opens < round * 300 || time < round * 100) await commit();
    // If this process is inside the gate when it is killed, the gate must open for other processes.
    await kill(openers.shift() as ChildProcess);
    openers.push(start());
  }
  assert.equal(lost, 0, `of ${time} commits`);
  assert.equal(await startReader(t, dataDir, 'p00', 'fresh').time(), time);
});

test('writes of one process wait for each other', async (t) => {
  const partition = openTestPartition(t);
  let inside = 0;
  const step = (time: number) => () => {
    inside += 1;
    assert.equal(inside, 1);
    writeTime(partition, time);
    inside -= 1;
  };
  await Promise.all([1, 2, 3].map((time) => partition.write(step(time))));
  assert.equal(readTime(partition), 3);
});

test('a write that fails does not stop the writes after it', async (t) => {
  const partition = openTestPartition(t);
  const failing = partition.write(() => assert.fail('on purpose'));
  const next = partition.write(() => writeTime(partition, 7));
  await assert.rejects(failing, /on purpose/);
  await next;
  assert.equal(readTime(partition), 7);
});

test('two users of one process share a gate', async (t) => {
  const dataDir = temporaryFolder(t);
  const [first, second] = [openGate(dataDir, 'p00', false), openGate(dataDir, 'p00', false)];
  const order: string[] = [];
  const done = first.through(async () => {
    // Both users are in the same process, so they share the gate. If they did not share it, this call would never
    // return.
    second.through(() => order.push('second'));
    order.push('first');
  });
  await done;
  await first.close();
  second.through(() => order.push('after'));
  await second.close();
  assert.deepEqual(order, ['second', 'first', 'after']);
});
