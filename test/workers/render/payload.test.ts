/** Tests the preview of a publication whose range has no version yet: the name that stands in until the tag arrives. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { draftId, newId } from '../../../src/foundation/ids.ts';
import type { PayloadTask } from '../../../src/protocol/tasks.ts';
import { readRange, writeRange } from '../../../src/store/tables/ranges.ts';
import { payload } from '../../../workers/render/payload.ts';
import { foldRecords, openTestPartition } from '../../helpers/partition.ts';
import {
  branchPush,
  commandRecord,
  eventRecord,
  pullRecord,
  repositoryFields,
  resultRecord,
  tagRecord,
} from '../../helpers/partition-records.ts';

const repoId = repositoryFields().id;
const rangeId = newId('range', 0);
const id = draftId(rangeId, 'customer');

test('a preview names the version that stands in for the missing one, and none once the tag has arrived', async (t) => {
  const partition = openTestPartition(t);
  const counts = { prCount: 1, issueCount: 0, commitCount: 0, resolution: 'window' } as const;
  const bounds = { type: 'UNRELEASED' } as const;
  const flags = { highlights: [], contributors: [], upgradeInstructions: '' };
  const text = { result: 'rendered', draftId: id, ticket: 'one', row: 0, inputSeq: 0, bodyMd: 'Text', flags } as const;
  await foldRecords(
    partition,
    1,
    pullRecord(1),
    eventRecord({ event: 'push', push: branchPush(0, 1) }),
    tagRecord('v1.0.0', 1),
    pullRecord(2),
    eventRecord({ event: 'push', push: branchPush(1, 2) }),
    commandRecord({ name: 'createRange', rangeId, repoId, bounds, ...counts }),
    commandRecord({ name: 'generateDraft', rangeId, draftId: id, persona: 'customer', ticket: 'one' }),
    resultRecord(text),
  );
  const task: PayloadTask = {
    ...{ task: 'payload', publicationId: 'pub_1', repoId, draftId: id, revision: 1, channel: 'hosted', asDraft: false },
    ...{ settings: {}, pagesUrl: 'http://localhost/notes/acme/rocket/', provisional: true },
  };
  const shown = () => payload(partition, task, () => {});
  assert.equal(shown().provisionalVersion, 'v1.0.1');
  // The tag arrives after the gateway has made the task.
  await partition.write(() => {
    const range = readRange(partition, rangeId) ?? assert.fail();
    writeRange(partition, { ...range, bounds: { type: 'TAG_BASED', fromTag: 'v1.0.0', toTag: 'v1.0.1' } });
  });
  const arrived = shown();
  assert.equal('provisionalVersion' in arrived, false);
  assert.match(JSON.stringify(arrived.payload), /v1\.0\.1/);
});
