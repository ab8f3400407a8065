/**
 * Tests the durability level that the service reports, and the names of the journal's streams and subjects.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { partitionNames } from '../../../src/foundation/partition-names.ts';
import { recordsSubject, streamOf } from '../../../src/journal/subjects.ts';
import { atLeast, durabilityOf } from '../../../src/journal/topology.ts';

test('power-loss is claimed only for recent servers that are known to sync', () => {
  assert.equal(durabilityOf(['2.10.27'], true, 1), 'power-loss');
  assert.equal(durabilityOf(['2.10.23'], true, 1), 'power-loss');
  assert.equal(durabilityOf(['2.10.22'], true, 1), 'process-crash');
  assert.equal(durabilityOf(['2.9.10'], true, 1), 'process-crash');
  assert.equal(durabilityOf(['2.12.1'], false, 1), 'process-crash');
  assert.equal(durabilityOf(['unknown'], true, 1), 'process-crash');
  assert.equal(durabilityOf(['2.12.1', '2.10.22'], true, 2), 'process-crash');
});

test('replicated is claimed only for three replicas on recent servers that are known to sync', () => {
  assert.equal(durabilityOf(['2.12.0', '2.15.2', '2.12.3'], true, 3), 'replicated');
  assert.equal(durabilityOf(['2.15.2'], false, 3), 'replicated-unsynced');
  assert.equal(durabilityOf(['2.15.2', '2.11.9'], true, 5), 'replicated-unsynced');
  assert.equal(durabilityOf(['2.15.2'], true, 2), 'power-loss');
});

test('atLeast compares versions by number, not by text', () => {
  assert.ok(atLeast('2.10.0', [2, 9, 25]));
  assert.ok(atLeast('v3.0.0-beta.1', [2, 10, 23]));
  assert.ok(!atLeast('2.9.25', [2, 10, 0]));
  assert.ok(!atLeast('', [0, 0, 0]));
});

test('each partition has a stream and a subject', () => {
  assert.deepEqual(partitionNames(2), ['directory', 'p00', 'p01']);
  assert.deepEqual([streamOf('p00'), streamOf('directory')], ['TIDINGS_P00', 'TIDINGS_DIRECTORY']);
  assert.equal(recordsSubject('p11'), 'tidings.records.p11');
});
