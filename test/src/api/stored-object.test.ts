/**
 * Tests the reply to a GET of one object: its bytes, its ETag, and Retry-After while a newer draft is being made.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiRequest } from '../../../src/api/route.ts';
import { replyReady } from '../../../src/api/stored-object.ts';
import { draftId } from '../../../src/foundation/ids.ts';
import { Readers } from '../../../src/store/readers.ts';
import { ReadyResponses } from '../../../src/store/ready-responses.ts';
import { afterwards } from '../../helpers/cleanup.ts';
import { foldRecords, openTestPartition } from '../../helpers/partition.ts';
import { commandRecord, pullRecord, repositoryFields, resultRecord } from '../../helpers/partition-records.ts';
import { temporaryFolder } from '../../helpers/ports.ts';

const rangeId = 'range_00000000000000000000000000aa';
const id = draftId(rangeId, 'engineer');

test('a reply has Retry-After while the draft is being made (spec 8)', async (t) => {
  const dataDir = temporaryFolder(t);
  const partition = openTestPartition(t, 'p00', dataDir);
  const readers = new Readers(dataDir);
  afterwards(t, () => readers.close());
  const context = { readers, responses: new ReadyResponses(readers), settings: { partitions: 1 } };
  const request = { params: [id], caller: { maySee: () => true }, context } as unknown as ApiRequest;
  const reply = () => {
    const { status, body, headers, etag } = replyReady(request, 'draft', 'Draft');
    return { status, headers, etag, draft: JSON.parse(String(body)) };
  };
  const bounds = { type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 9 } as const;
  const counts = { prCount: 1, issueCount: 0, resolution: 'window' } as const;
  const range = commandRecord({ name: 'createRange', rangeId, repoId: repositoryFields().id, bounds, ...counts });
  const asked = { name: 'generateDraft', rangeId, draftId: id, persona: 'engineer', ticket: 'one' } as const;
  await foldRecords(partition, 1, pullRecord(1), range, commandRecord(asked));
  const processing = reply();
  assert.deepEqual(
    [processing.status, processing.draft.status, processing.headers],
    [200, 'processing', ['Retry-After', '1']],
  );
  const flags = { highlights: [], contributors: [], upgradeInstructions: '' };
  const outcome = {
    result: 'rendered',
    draftId: id,
    ticket: 'one',
    row: 0,
    inputSeq: 0,
    bodyMd: 'text',
    flags,
  } as const;
  await foldRecords(partition, 2, resultRecord(outcome));
  const ready = reply();
  assert.deepEqual([ready.status, ready.draft.status, ready.headers], [200, 'ready', undefined]);
  assert.notEqual(ready.etag, processing.etag);
  // A rename of the repository makes the stored bytes of the reply outdated. The service encodes the reply again, and
  // the content of the reply stays the same.
  await foldRecords(partition, 3, pullRecord(2, { repository: repositoryFields({ fullName: 'acme/moon' }) }));
  assert.deepEqual(reply(), ready);
  await foldRecords(partition, 4, commandRecord({ ...asked, ticket: 'two' }));
  await foldRecords(partition, 5, pullRecord(3, { repository: repositoryFields({ fullName: 'acme/mars' }) }));
  assert.deepEqual(reply().headers, ['Retry-After', '1']);
});
