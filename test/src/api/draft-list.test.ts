/**
 * Tests the lists of a repository's drafts and of all outdated drafts: a request examines the drafts of a hundred
 * ranges, and fewer if their texts are long, and its cursor continues the list.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { draftListRoutes } from '../../../src/api/draft-list.ts';
import type { ApiRequest, ApiRoute } from '../../../src/api/route.ts';
import { sampleDraft, sampleRange, sampleRepository } from '../../../src/api/samples.ts';
import type { ServiceError } from '../../../src/foundation/errors.ts';
import { draftId, newId, slotInside } from '../../../src/foundation/ids.ts';
import { directoryName } from '../../../src/foundation/partition-names.ts';
import type { DraftRecord, Persona } from '../../../src/protocol/stored.ts';
import { writeDirectoryRepository } from '../../../src/store/tables/directory.ts';
import { writeDraft } from '../../../src/store/tables/drafts.ts';
import { writeRange } from '../../../src/store/tables/ranges.ts';
import { foldRecords, openTestPartition } from '../../helpers/partition.ts';
import { pullRecord, repositoryFields } from '../../helpers/partition-records.ts';

interface Listed {
  drafts: { id: string; persona: Persona; outdated: boolean }[];
  total: number;
  nextCursor: string | null;
}

const repoId = repositoryFields().id;
const other = repositoryFields({}, 1).id;

/** Opens a partition. Returns functions that write ranges, write drafts and list drafts. */
async function stored(t: TestContext) {
  const partition = openTestPartition(t);
  await foldRecords(partition, 1, pullRecord(1));
  const directory = openTestPartition(t, directoryName);
  const context = { readers: { fresh: () => partition }, settings: { partitions: 1 } };
  /** Writes ranges, each a second younger than the one before. Returns their ids, the newest first. */
  const ranges = async (count: number, of = repoId): Promise<string[]> => {
    const made = Array.from({ length: count }, (_, i) => ({
      ...sampleRange(newId('range', slotInside(of)), of),
      createdAt: i * 1000,
    }));
    await partition.write(() => {
      for (const range of made) writeRange(partition, range);
    });
    return made.map(({ id }) => id).reverse();
  };
  const draft = async (rangeId: string, persona: Persona, fields: Partial<DraftRecord> = {}): Promise<string> => {
    const id = draftId(rangeId, persona);
    await partition.write(() => {
      writeDraft(partition, { ...sampleDraft(id), repoId, rangeId, persona, ...fields });
    });
    return id;
  };
  const list = async (query: Record<string, unknown>, isVisible: (id: string) => boolean = () => true) => {
    const [route] = draftListRoutes;
    const caller = { key: { orgId: 'org_1' }, maySee: isVisible };
    const request = { params: [], query: { repoId, ...query }, caller, context, directory };
    const { body } = await (route as ApiRoute<never>).handle(request as unknown as ApiRequest<never>);
    return body as Listed;
  };
  /** Lists repositories in the directory as those of an organization. */
  const connect = (ids: readonly string[], orgId = 'org_1'): Promise<unknown> =>
    directory.write(() => {
      for (const id of ids) writeDirectoryRepository(directory, { ...sampleRepository, id, orgId, hostId: id });
    });
  return { ranges, draft, list, connect };
}

/** Returns a function that checks a refusal with one bad field. */
function refusal(field: string, words: RegExp) {
  return ({ status, details = {} }: ServiceError): boolean => {
    assert.deepEqual([status, Object.keys(details)], [400, [field]]);
    assert.match(details[field] ?? '', words);
    return true;
  };
}

test('drafts of all ranges are listed, and filters select by verdict and persona', async (t) => {
  const { ranges, draft, list } = await stored(t);
  const [newest = '', , oldest = ''] = await ranges(3);
  const [foreign = ''] = await ranges(1, other);
  const outdatedBecause: DraftRecord['outdatedBecause'] = [{ number: 1, what: 'label' }];
  const ids = [
    await draft(newest, 'engineer', { createdAt: 3, outdatedBecause }),
    await draft(newest, 'customer', { createdAt: 2 }),
    await draft(oldest, 'engineer', { createdAt: 1 }),
  ];
  await draft(foreign, 'engineer', { repoId: other });
  const idsOf = async (query: object) => (await list({ ...query })).drafts.map(({ id }) => id);
  assert.deepEqual(await idsOf({}), ids);
  assert.deepEqual(await idsOf({ outdated: 'true' }), [ids[0]]);
  assert.deepEqual(await idsOf({ outdated: 'false', persona: 'engineer' }), [ids[2]]);
  assert.deepEqual(await idsOf({ cursor: oldest }), [ids[2]]);
  for (const cursor of [foreign, 'range_x', ids[0]])
    await assert.rejects(list({ cursor }), refusal('cursor', /^expected the nextCursor of an earlier reply, got "/));
  await assert.rejects(
    list({ releaseRangeId: newest, cursor: newest }),
    refusal('cursor', /only without releaseRangeId/),
  );
  await assert.rejects(
    list({ repoId: undefined, persona: 'engineer' }),
    refusal('releaseRangeId', /^expected releaseRangeId, repoId, outdated, status or published, got none of them$/),
  );
  await assert.rejects(
    list({}, () => false),
    { status: 404 },
  );
});

test('a request examines a hundred ranges, and the cursor names the next one', async (t) => {
  const { ranges, draft, list } = await stored(t);
  const ids = await ranges(201);
  const wanted = [ids[0], ids[99], ids[100], ids[200]] as string[];
  const drafts: string[] = [];
  for (const [index, id] of wanted.entries()) drafts.push(await draft(id, 'internal', { createdAt: -index }));
  const first = await list({});
  assert.deepEqual(
    [first.drafts.map(({ id }) => id), first.total, first.nextCursor],
    [drafts.slice(0, 2), 2, ids[100]],
  );
  const second = await list({ cursor: first.nextCursor });
  assert.deepEqual([second.drafts.map(({ id }) => id), second.nextCursor], [[drafts[2]], ids[200]]);
  const third = await list({ cursor: second.nextCursor });
  assert.deepEqual([third.drafts.map(({ id }) => id), third.nextCursor], [[drafts[3]], null]);
});

test('all outdated drafts are listed, of the repositories that the caller may see only', async (t) => {
  const { ranges, draft, list, connect } = await stored(t);
  const [first = '', second = '', third = ''] = [repoId, other, repositoryFields({}, 2).id].sort();
  await connect([first, third]);
  await connect([second], 'org_2');
  const outdatedBecause: DraftRecord['outdatedBecause'] = [{ number: 1, what: 'label' }];
  const made: string[] = [];
  const newest: string[] = [];
  for (const id of [first, second, third]) {
    const [rangeId = ''] = await ranges(60, id);
    newest.push(rangeId);
    made.push(await draft(rangeId, 'engineer', { repoId: id, outdatedBecause, createdAt: made.length }));
    await draft(rangeId, 'customer', { repoId: id });
  }
  const all = { repoId: undefined, outdated: 'true' };
  const page = await list(all);
  assert.deepEqual([page.drafts.map(({ id }) => id), page.total], [[made[2], made[0]], 2]);
  assert.match(page.nextCursor ?? '', /^range_/, 'the second repository has more ranges');
  const rest = await list({ ...all, cursor: page.nextCursor });
  assert.deepEqual([rest.drafts, rest.nextCursor], [[], null]);
  const upToDate = await list({ ...all, outdated: 'false' });
  assert.deepEqual([upToDate.drafts.map(({ persona }) => persona), upToDate.total], [['customer', 'customer'], 2]);
  assert.deepEqual((await list(all, (id) => id === first)).drafts.length, 1);
  for (const cursor of [newest[1], third])
    await assert.rejects(list({ ...all, cursor }), refusal('cursor', /^expected the nextCursor/));
  assert.equal((await list({ repoId: undefined, status: 'ready' })).total, 4, 'the others of the same ranges too');
});

test('a request ends early after eight million characters of texts', async (t) => {
  const { ranges, draft, list } = await stored(t);
  const ids = await ranges(10);
  const text = 'x'.repeat(1_000_000);
  for (const id of ids) await draft(id, 'engineer', { bodyMd: text, generatedMd: text });
  const { total, nextCursor } = await list({});
  assert.deepEqual([total, nextCursor], [5, ids[5]]);
});
