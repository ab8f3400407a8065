/**
 * Checks publications in their partition. Repeated requests make one publication. An attempt counts once, however often
 * it is reported. A newer text replaces an older text that still waits.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { draftId as draftIdOf } from '../../../src/foundation/ids.ts';
import { publicationsDoubled } from '../../../src/foundation/metrics.ts';
import type { Command, CommandResult } from '../../../src/protocol/commands.ts';
import type { HostedPage } from '../../../src/protocol/hosted.ts';
import { defaultSettings } from '../../../src/protocol/notes.ts';
import type { ResultBody } from '../../../src/protocol/results.ts';
import type { RangeRecord } from '../../../src/protocol/stored.ts';
import type { Partition } from '../../../src/store/partition.ts';
import { readHostedNote } from '../../../src/store/tables/hosted-notes.ts';
import { listRelays } from '../../../src/store/tables/outbox.ts';
import { listUnderWay, readPublication, readReference } from '../../../src/store/tables/publications.ts';
import { readRange } from '../../../src/store/tables/ranges.ts';
import { readReached } from '../../../src/store/tables/recipients.ts';
import { readResult } from '../../../src/store/tables/results.ts';
import { foldRecords, openTestPartition, reportedEvents } from '../../helpers/partition.ts';
import {
  commandRecord,
  epoch,
  foldVersionRecord,
  pullRecord,
  repositoryFields,
  resultRecord,
} from '../../helpers/partition-records.ts';

const repoId = repositoryFields().id;
const rangeId = 'range_00000000000000000000000000aa';
const draftId = draftIdOf(rangeId, 'engineer');
const connection = { orgId: 'org_1', repoId: null, settings: {}, secrets: {}, receiver: 'here' };

class Stage {
  readonly partition: Partition;
  private seq = 0;

  constructor(partition: Partition) {
    this.partition = partition;
  }

  async command(command: Command, at = epoch + this.seq): Promise<CommandResult> {
    const record = commandRecord(command, at);
    await foldRecords(this.partition, ++this.seq, record);
    return readResult(this.partition, record.id) as CommandResult;
  }

  result(body: ResultBody, at = epoch + this.seq): Promise<void> {
    return foldRecords(this.partition, ++this.seq, resultRecord(body, at));
  }

  publish(publicationId: string, more: Partial<Extract<Command, { name: 'publish' }>> = {}): Promise<CommandResult> {
    const what = { publicationId, draftId, revision: 1, channel: 'workspace_chat', asDraft: false } as const;
    return this.command({ name: 'publish', ...what, connection, pagesUrl: null, ...more });
  }

  sending(publicationId: string, attempt: number, by = 'life-1'): Promise<void> {
    return this.result({ result: 'publicationSending', publicationId, attempt, by });
  }

  published(publicationId: string, attempt: number, reference: string | null = 'ref'): Promise<void> {
    const url = 'https://receiver.example/1';
    return this.result({ result: 'published', publicationId, attempt, url, reference, counts: {}, countsRanges: true });
  }

  /** Folds the report that the publisher of an earlier version of Tidings would send. */
  formerlyPublished(publicationId: string, attempt: number): Promise<void> {
    return this.result({ result: 'published', publicationId, attempt, url: null, reference: null, counts: {} });
  }

  /**
   * Publishes on a page and reports success. By default `place` is empty, as in records of earlier versions of Tidings.
   */
  async page(publicationId: string, page: HostedPage, place: { personaPath?: string } = {}): Promise<void> {
    await this.publish(publicationId, { channel: 'hosted', ...place });
    await this.sending(publicationId, 1);
    const outcome = { publicationId, attempt: 1, url: null, reference: page.version, counts: {}, page } as const;
    await this.result({ result: 'published', ...outcome });
  }

  failed(publicationId: string, attempt: number, retryAt: number | null = null, unknown = false): Promise<void> {
    const outcome = { publicationId, attempt, error: 'no', retryAt, unknown } as const;
    return this.result({ result: 'publishFailed', ...outcome, reports: true });
  }

  /** Folds the report of a failure that the publisher of an earlier version of Tidings would send. */
  formerlyFailed(publicationId: string, attempt: number): Promise<void> {
    const outcome = { publicationId, attempt, error: 'no', retryAt: null, unknown: false } as const;
    return this.result({ result: 'publishFailed', ...outcome });
  }

  read(id: string) {
    const publication = readPublication(this.partition, id);
    assert.ok(publication, id);
    return publication;
  }

  status(id: string): string {
    return this.read(id).status;
  }

  edit(bodyMd: string): Promise<CommandResult> {
    return this.command({ name: 'updateDraft', draftId, bodyMd });
  }
}

/** Opens a partition with a draft that has its first revision. */
async function openStage(t: TestContext): Promise<Stage> {
  const partition = openTestPartition(t);
  const stage = new Stage(partition);
  await foldRecords(partition, 1, pullRecord(1));
  const bounds = { type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 1 } as const;
  await stage.command({
    name: 'createRange',
    rangeId,
    repoId,
    bounds,
    prCount: 1,
    issueCount: 0,
    resolution: 'window',
  });
  await stage.command({ name: 'generateDraft', draftId, rangeId, persona: 'engineer', ticket: 't' });
  await stage.edit('First.\n');
  return stage;
}

function idOf(result: CommandResult): string {
  assert.ok(result.ok, JSON.stringify(result));
  return (result.value as { id: string }).id;
}

function kindOf(result: CommandResult): string {
  return result.ok ? 'ok' : result.kind;
}

/** Returns the names of the counters that the partition relays to the directory, oldest first. */
function counters({ partition }: Stage): string[] {
  return listRelays(partition, 1000).flatMap(({ effect: { body } }) =>
    body.relay === 'counted' ? [`${body.counter}${body.isRelease ? ', a release' : ''}`] : [],
  );
}

const engineersPage = { version: 'v1', persona: 'engineer', html: '<p>1</p>', excerpt: 'One', date: 5 } as const;
const place = { personaPath: 'engineer' };

test('a publication writes the page of its command, and its deletion removes only that', async (t) => {
  const stage = await openStage(t);
  const there = (path?: string) => readHostedNote(stage.partition, repoId, 'v1', path)?.publicationId;
  await stage.page('pub_1', engineersPage, place);
  assert.deepEqual([there(), there('engineer')], [undefined, 'pub_1']);
  await stage.edit('Second.\n');
  await stage.publish('pub_2', { channel: 'hosted', revision: 2, ...place });
  await stage.sending('pub_2', 1);
  const outcome = { publicationId: 'pub_2', attempt: 1, url: null, reference: 'v1', counts: {} } as const;
  await stage.result({ result: 'published', ...outcome, page: engineersPage });
  assert.equal(there('engineer'), 'pub_2');
  await stage.command({ name: 'deletePublication', publicationId: 'pub_1' });
  assert.equal(there('engineer'), 'pub_2', 'a later one has taken its place');
  await stage.command({ name: 'deletePublication', publicationId: 'pub_2' });
  assert.equal(there('engineer'), undefined);
});

test('resending a publication of an earlier version moves its page', async (t) => {
  const stage = await openStage(t);
  await stage.page('pub_1', { ...engineersPage, excerpt: undefined, summary: 'Flags' });
  await stage.command({ name: 'resendPublication', publicationId: 'pub_1', connection, pagesUrl: null, ...place });
  assert.equal(stage.read('pub_1').personaPath, 'engineer');
  await stage.sending('pub_1', 2);
  const outcome = { publicationId: 'pub_1', attempt: 2, url: null, reference: 'v1', counts: {} } as const;
  await stage.result({ result: 'published', ...outcome, page: engineersPage });
  assert.equal(readHostedNote(stage.partition, repoId, 'v1')?.path, 'engineer');
  assert.equal(readHostedNote(stage.partition, repoId, 'v1', 'engineer')?.html, '<p>1</p>');
  await stage.command({ name: 'deletePublication', publicationId: 'pub_1' });
  assert.deepEqual([...stage.partition.tables.hostedNotes.getKeys({})], []);
});

test('records of an earlier version fold to the same rows', async (t) => {
  const stage = await openStage(t);
  const { excerpt: _, ...former } = { ...engineersPage, summary: 'Flags' };
  await stage.page('pub_1', former);
  const { hostedNotes, hostedNotesByDate } = stage.partition.tables;
  const at = epoch + 5;
  const common = { repoId, publicationId: 'pub_1', publishedAt: at, updatedAt: at };
  const rows = (table: typeof hostedNotes) => JSON.stringify([...table.getRange({})]);
  // JSON keeps the order of the fields. The stored bytes depend on this order.
  const note = { version: 'v1', persona: 'engineer', html: '<p>1</p>', date: 5, summary: 'Flags' };
  assert.equal(rows(hostedNotes), JSON.stringify([{ key: [repoId, 'v1'], value: { ...note, ...common } }]));
  const listed = { summary: 'Flags', updatedAt: at, publicationId: 'pub_1' };
  assert.equal(rows(hostedNotesByDate), JSON.stringify([{ key: [repoId, 5, 'v1'], value: listed }]));
  assert.ok(!('personaPath' in stage.read('pub_1')));
  await stage.command({ name: 'deletePublication', publicationId: 'pub_1' });
  assert.equal(rows(hostedNotes) + rows(hostedNotesByDate), '[][]');
});

test('a publication goes from pending through processing to completed, and counts once', async (t) => {
  const stage = await openStage(t);
  assert.equal(idOf(await stage.publish('pub_1')), 'pub_1');
  assert.equal(stage.status('pub_1'), 'pending');
  assert.deepEqual(listUnderWay(stage.partition), [{ repoId, channel: 'workspace_chat', id: 'pub_1' }]);
  await stage.sending('pub_1', 1);
  assert.equal(stage.status('pub_1'), 'processing');
  await stage.published('pub_1', 1);
  await stage.published('pub_1', 1);
  const { status, url, attempts, publishedAt } = stage.read('pub_1');
  assert.deepEqual(
    [status, url, attempts.length, publishedAt !== null],
    ['completed', 'https://receiver.example/1', 1, true],
  );
  assert.deepEqual(listUnderWay(stage.partition), []);
  assert.equal(readReference(stage.partition, stage.read('pub_1')), 'ref');
  assert.equal(
    idOf(await stage.command({ name: 'resendPublication', publicationId: 'pub_1', connection, pagesUrl: null })),
    'pub_1',
  );
  await stage.sending('pub_1', 2);
  await stage.published('pub_1', 2);
  assert.deepEqual(counters(stage), ['publications, a release']);
});

test('a range counts once, even after its publication was deleted', async (t) => {
  const stage = await openStage(t);
  const publish = async (id: string, more: object = {}) => {
    await stage.publish(id, more);
    await stage.sending(id, 1);
    await stage.published(id, 1);
  };
  await publish('pub_1');
  await stage.command({ name: 'deletePublication', publicationId: 'pub_1' });
  await publish('pub_2', { channel: 'office_chat' });
  await publish('pub_3');
  assert.deepEqual(counters(stage), ['publications, a release', 'publications', 'publications']);
});

test('a range that an earlier version counted is not counted again', async (t) => {
  const stage = await openStage(t);
  await stage.publish('pub_1');
  await stage.sending('pub_1', 1);
  await stage.formerlyPublished('pub_1', 1);
  const { publishedAt } = readRange(stage.partition, rangeId) as RangeRecord;
  assert.equal(publishedAt, undefined, 'its record folds to the bytes that it had');
  await stage.publish('pub_2', { channel: 'office_chat' });
  await stage.sending('pub_2', 1);
  await stage.published('pub_2', 1);
  assert.deepEqual(counters(stage), ['publishedReleases', 'publications']);
});

test('a publication that arrives sends one event to endpoints', async (t) => {
  const stage = await openStage(t);
  await stage.publish('pub_1');
  await stage.sending('pub_1', 1);
  await stage.published('pub_1', 1);
  await stage.published('pub_1', 1);
  const reported = reportedEvents(stage.partition).flatMap(({ event, data }) =>
    event === 'draft.published' ? [data] : [],
  );
  const [url, channel] = ['https://receiver.example/1', 'workspace_chat'];
  assert.deepEqual(reported, [
    { draftId, persona: 'engineer', releaseRangeId: rangeId, publicationId: 'pub_1', channel, url },
  ]);
});

/** Returns the data of the events `publication.failed` that wait in the outbox. */
function failures({ partition }: Stage): object[] {
  return reportedEvents(partition).flatMap(({ event, data }) => (event === 'publication.failed' ? [data] : []));
}

test('a publication that ends as failed sends one event to endpoints', async (t) => {
  const stage = await openStage(t);
  await stage.publish('pub_1');
  await stage.sending('pub_1', 1);
  await stage.failed('pub_1', 1, epoch + 5000);
  assert.deepEqual(failures(stage), [], 'a failed attempt that is tried again is not reported');
  await stage.sending('pub_1', 2);
  await stage.failed('pub_1', 2, null, true);
  await stage.failed('pub_1', 2, null, true);
  const what = { draftId, persona: 'engineer', releaseRangeId: rangeId, repoId, channel: 'workspace_chat' };
  const ended = { error: 'no', outcomeUnknown: true, attempts: 2, replacedBy: null };
  assert.deepEqual(failures(stage), [{ ...what, publicationId: 'pub_1', ...ended }]);
  await stage.command({ name: 'resendPublication', publicationId: 'pub_1', connection, pagesUrl: null, reports: true });
  await stage.sending('pub_1', 3);
  await stage.failed('pub_1', 3);
  assert.deepEqual(failures(stage)[1], {
    ...what,
    publicationId: 'pub_1',
    ...ended,
    outcomeUnknown: false,
    attempts: 3,
  });
});

test('the event of a replaced publication names the newer one', async (t) => {
  const stage = await openStage(t);
  await stage.publish('pub_1');
  await stage.edit('Second.\n');
  await stage.publish('pub_2', { revision: 2, reports: true });
  await stage.sending('pub_2', 1);
  await stage.edit('Third.\n');
  await stage.publish('pub_3', { revision: 3, reports: true });
  await stage.failed('pub_2', 1, epoch + 5000);
  assert.deepEqual(
    failures(stage).map((data) => {
      const { publicationId, replacedBy, attempts } = data as Record<string, unknown>;
      return [publicationId, replacedBy, attempts];
    }),
    [
      ['pub_1', 'pub_2', 0],
      ['pub_2', 'pub_3', 1],
    ],
  );
});

test('failures in records of an earlier version send no event', async (t) => {
  const stage = await openStage(t);
  await stage.publish('pub_1');
  await stage.edit('Second.\n');
  await stage.publish('pub_2', { revision: 2 });
  await stage.sending('pub_2', 1);
  await stage.formerlyFailed('pub_2', 1);
  assert.deepEqual([stage.status('pub_1'), stage.status('pub_2'), failures(stage)], ['failed', 'failed', []]);
});

test('requests for the same text, channel, draft mark and receiver are one publication', async (t) => {
  const stage = await openStage(t);
  const first = idOf(await stage.publish('pub_1'));
  assert.equal(idOf(await stage.publish('pub_2')), first, 'while it is pending');
  await stage.sending(first, 1);
  assert.equal(idOf(await stage.publish('pub_3')), first, 'while it is processing');
  await stage.published(first, 1);
  assert.equal(idOf(await stage.publish('pub_4')), first, 'when it is completed');
  assert.equal(stage.read(first).attempts.length, 1);
  const elsewhere = { ...connection, receiver: 'there' };
  assert.equal(idOf(await stage.publish('pub_5', { connection: elsewhere })), 'pub_5');
  assert.equal(idOf(await stage.publish('pub_6', { asDraft: true })), 'pub_6');
  assert.equal(idOf(await stage.publish('pub_7', { channel: 'office_chat' })), 'pub_7');
  await stage.edit('Second.\n');
  assert.equal(idOf(await stage.publish('pub_8', { revision: 2 })), 'pub_8');
  assert.equal(kindOf(await stage.publish('pub_9', { revision: 9 })), 'notFound');
  assert.equal(kindOf(await stage.publish('pub_9', { draftId: 'draft_x' })), 'notFound');
});

test('a failed publication starts again on request, except with an unknown outcome', async (t) => {
  const stage = await openStage(t);
  await stage.publish('pub_1');
  await stage.sending('pub_1', 1);
  await stage.failed('pub_1', 1);
  assert.deepEqual([stage.status('pub_1'), stage.read('pub_1').error], ['failed', 'no']);
  assert.equal(idOf(await stage.publish('pub_2')), 'pub_1');
  assert.deepEqual(
    [stage.status('pub_1'), stage.read('pub_1').tries, stage.read('pub_1').attempted],
    ['pending', 0, 1],
  );
  await stage.sending('pub_1', 2);
  await stage.failed('pub_1', 2, null, true);
  assert.deepEqual([stage.status('pub_1'), stage.read('pub_1').outcomeUnknown], ['failed', true]);
  const refused = await stage.publish('pub_3');
  assert.equal(kindOf(refused), 'conflict');
  assert.match(refused.ok ? '' : refused.message, /pub_1 .* resend/);
  const resend = { name: 'resendPublication', publicationId: 'pub_1', connection, pagesUrl: null } as const;
  assert.equal(idOf(await stage.command(resend)), 'pub_1');
  assert.equal(stage.status('pub_1'), 'pending');
  assert.equal(kindOf(await stage.command(resend)), 'conflict', 'not while it is under way');
});

test('a publication waits until the time of its next attempt', async (t) => {
  const stage = await openStage(t);
  await stage.publish('pub_1');
  await stage.sending('pub_1', 1);
  await stage.failed('pub_1', 1, epoch + 99_000);
  const { status, nextAttemptAt, sending, error } = stage.read('pub_1');
  assert.deepEqual([status, nextAttemptAt, sending, error], ['processing', epoch + 99_000, null, 'no']);
  await stage.sending('pub_1', 2);
  assert.equal(stage.read('pub_1').nextAttemptAt, null);
});

test('late and duplicate reports of an attempt are ignored', async (t) => {
  const stage = await openStage(t);
  await stage.publish('pub_1');
  await stage.published('pub_1', 1);
  assert.equal(stage.status('pub_1'), 'pending', 'nothing was begun');
  await stage.sending('pub_1', 1);
  await stage.sending('pub_1', 1, 'life-2');
  assert.equal(stage.read('pub_1').sending?.by, 'life-1');
  await stage.sending('pub_1', 2, 'life-2');
  assert.deepEqual(stage.read('pub_1').sending, { attempt: 2, by: 'life-2' });
  assert.match(stage.read('pub_1').attempts[0]?.error ?? '', /stopped during this attempt/);
  await stage.published('pub_1', 1);
  assert.equal(stage.status('pub_1'), 'processing', 'of an attempt that was taken over');
  await stage.failed('pub_1', 1);
  assert.equal(stage.status('pub_1'), 'processing');
  await stage.published('pub_1', 2);
  await stage.sending('pub_1', 3);
  assert.equal(stage.status('pub_1'), 'completed', 'nothing begins after the end');
});

test('a publication yields to a newer text for the same receiver', async (t) => {
  const stage = await openStage(t);
  await stage.publish('pub_1');
  await stage.sending('pub_1', 1);
  await stage.failed('pub_1', 1, epoch + 99_000);
  await stage.edit('Second.\n');
  await stage.publish('pub_2', { revision: 2 });
  assert.match(stage.read('pub_1').error ?? '', /pub_2 of the same draft replaced this one/);
  assert.deepEqual([stage.status('pub_1'), stage.status('pub_2')], ['failed', 'pending']);
  await stage.sending('pub_2', 1);
  await stage.edit('Third.\n');
  await stage.publish('pub_3', { revision: 3 });
  assert.equal(stage.status('pub_2'), 'processing', 'what is being sent is not called back');
  await stage.failed('pub_2', 1, epoch + 99_000);
  assert.equal(stage.status('pub_2'), 'failed', 'but it is not sent again');
  assert.equal(stage.status('pub_3'), 'pending');
});

test('a person deletes a publication, and its reference stays known', async (t) => {
  const stage = await openStage(t);
  await stage.publish('pub_1');
  await stage.sending('pub_1', 1);
  const remove = { name: 'deletePublication', publicationId: 'pub_1' } as const;
  assert.equal(kindOf(await stage.command(remove)), 'conflict', 'not while it is being sent');
  await stage.published('pub_1', 1);
  assert.equal(kindOf(await stage.command(remove)), 'ok');
  assert.equal(readPublication(stage.partition, 'pub_1'), undefined);
  assert.equal(kindOf(await stage.command(remove)), 'notFound');
  assert.equal(idOf(await stage.publish('pub_2')), 'pub_2');
  assert.equal(readReference(stage.partition, stage.read('pub_2')), 'ref');
});

test('remembers which recipients have a text, may have it, or may be written to again', async (t) => {
  const stage = await openStage(t);
  const { partition } = stage;
  const reached = (revision = 1) => readReached(partition, { repoId, draftId, revision });
  await stage.publish('pub_1', { channel: 'email' });
  const sending = { result: 'publicationSending', publicationId: 'pub_1', by: 'life-1' } as const;
  await stage.result({ ...sending, attempt: 1, recipients: ['ann', 'ben', 'cleo'] });
  assert.deepEqual(reached(), { taken: [], doubtful: ['ann', 'ben', 'cleo'] });
  const failed = { result: 'publishFailed', publicationId: 'pub_1', error: 'no', retryAt: null } as const;
  const reported = { taken: ['ann'], free: ['cleo'] };
  await stage.result({ ...failed, attempt: 2, unknown: true, reached: { taken: ['ben'], free: [] } });
  assert.deepEqual(reached().taken, [], 'an attempt that was never begun tells nothing');
  await stage.result({ ...failed, attempt: 1, unknown: true, reached: reported });
  assert.deepEqual(reached(), { taken: ['ann'], doubtful: ['ben'] });
  await stage.publish('pub_2', { channel: 'email', connection: { ...connection, receiver: 'another list' } });
  assert.deepEqual(reached(), { taken: ['ann'], doubtful: ['ben'] }, 'another list frees nobody');
  const again = { name: 'resendPublication', publicationId: 'pub_1', connection, pagesUrl: null } as const;
  assert.equal(kindOf(await stage.command(again)), 'ok');
  assert.deepEqual(reached(), { taken: ['ann'], doubtful: [] }, 'a person does');
  await stage.result({ ...sending, attempt: 2, recipients: ['ben'] });
  const arrived = { result: 'published', publicationId: 'pub_1', url: null, reference: null, counts: {} } as const;
  await stage.result({ ...arrived, attempt: 2, reached: { taken: ['ben'], free: [] } });
  assert.deepEqual(reached(), { taken: ['ann', 'ben'], doubtful: [] });
  assert.deepEqual(reached(2), { taken: [], doubtful: [] }, 'another text is another matter');
});

test('a late success completes a publication that another process ended as unknown', async (t) => {
  const stage = await openStage(t);
  await stage.publish('pub_1', { channel: 'office_chat' });
  await stage.sending('pub_1', 1);
  await stage.failed('pub_1', 1, null, true);
  await stage.published('pub_1', 1);
  assert.equal(stage.status('pub_1'), 'failed', 'journals of earlier versions give the same rows as before');
  await foldRecords(stage.partition, 80, foldVersionRecord(1));
  await stage.published('pub_1', 1);
  const { status, outcomeUnknown, url, attempts } = stage.read('pub_1');
  assert.deepEqual([status, outcomeUnknown, url], ['completed', false, 'https://receiver.example/1']);
  assert.deepEqual(
    attempts.map(({ error }) => error),
    [null],
  );
});

test('a second item of an attempt that was replaced is counted, and the publication keeps the newer item', async (t) => {
  const stage = await openStage(t);
  await foldRecords(stage.partition, 80, foldVersionRecord(1));
  await stage.publish('pub_1');
  await stage.sending('pub_1', 1);
  await stage.sending('pub_1', 2);
  await stage.published('pub_1', 2);
  const late = { result: 'published', publicationId: 'pub_1', attempt: 1, reference: 'ref', counts: {} } as const;
  const doubled = async () => (await publicationsDoubled.get()).values.reduce((sum, { value }) => sum + value, 0);
  const before = await doubled();
  await stage.result({ ...late, url: 'https://receiver.example/1' });
  assert.equal(await doubled(), before, 'the newer attempt has found the item of the older one');
  await stage.result({ ...late, url: 'https://receiver.example/2' });
  assert.equal(await doubled(), before + 1);
  assert.equal(stage.read('pub_1').url, 'https://receiver.example/1');
});

test('publications are erased with their repository', async (t) => {
  const stage = await openStage(t);
  await stage.publish('pub_1');
  await stage.publish('pub_2', { channel: 'office_chat' });
  await stage.sending('pub_2', 1);
  await stage.published('pub_2', 1);
  const mailed = { result: 'publicationSending', publicationId: 'pub_1', attempt: 1, by: 'life-1' } as const;
  await stage.result({ ...mailed, recipients: ['ann'] });
  const { partition } = stage;
  const body = { relay: 'repositoryErased', repoId } as const;
  await foldRecords(partition, 90, { id: 'r', at: epoch, kind: 'relay', source: 'directory', row: 1, body });
  assert.deepEqual(listUnderWay(partition), [], 'nothing leaves from that moment on');
  await foldRecords(partition, 91, pullRecord(2));
  const tables = [
    'publications',
    'publicationsByRepository',
    'publicationsByContent',
    'publicationReferences',
    'recipients',
  ] as const;
  for (const table of tables) assert.equal(partition.tables[table].getKeysCount({}), 0, table);
});

const disputed = '- Mine <!-- rn:pr:1 -->\n  <!-- rn:gone pr:1 reverted by #2 -->\n';
const warning = { kind: 'conflict', id: 'pr:1', number: 1, sha: null, text: 'Mine', reason: 'reverted', detail: '#2' };

test('a publication stores the conflicts of its revision as warnings', async (t) => {
  const stage = await openStage(t);
  await stage.edit(disputed);
  await stage.edit('Mended.\n');
  await stage.publish('pub_1', { revision: 2, strict: false });
  assert.deepEqual(stage.read('pub_1').warnings, [warning]);
  await stage.publish('pub_2', { revision: 3, strict: true });
  assert.ok(!('warnings' in stage.read('pub_2')));
  const many = Array.from({ length: 150 }, (_, n) => `- Mine <!-- rn:pr:${n} -->\n  <!-- rn:gone pr:${n} x -->\n`).join(
    '',
  );
  await stage.edit(many);
  await stage.publish('pub_3', { revision: 4, strict: false });
  assert.equal(stage.read('pub_3').warnings?.length, 100);
  const refusal = await stage.publish('pub_4', { revision: 4, strict: true, channel: 'email' });
  assert.match(refusal.ok ? '' : refusal.message, /has 150 conflicts: #0 x; .*; and 130 more\. /);
});

test('strict publishing stores nothing while there are conflicts', async (t) => {
  const stage = await openStage(t);
  await stage.edit(disputed);
  const refusal = await stage.publish('pub_1', { revision: 2, strict: true });
  assert.ok(!refusal.ok);
  assert.deepEqual([refusal.kind, refusal.details], ['conflict', { 'pr:1': '#1 reverted by #2' }]);
  assert.match(refusal.message, /has 1 conflict: #1 reverted by #2\. /);
  assert.equal(readPublication(stage.partition, 'pub_1'), undefined);
  assert.deepEqual(listUnderWay(stage.partition), []);
  const settings = { ...defaultSettings, strictPublishing: true };
  await stage.command({ name: 'putSettings', repoId, settings });
  assert.equal(kindOf(await stage.publish('pub_1', { revision: 2, strict: false })), 'conflict');
  await stage.command({ name: 'putSettings', repoId, settings: defaultSettings });
  assert.equal(kindOf(await stage.publish('pub_1', { revision: 2, strict: false })), 'ok');
});

test('a publication that exists is not checked again, but one that starts again is', async (t) => {
  const stage = await openStage(t);
  await stage.edit(disputed);
  await stage.publish('pub_1', { revision: 2, strict: false });
  assert.equal(idOf(await stage.publish('pub_2', { revision: 2, strict: true })), 'pub_1');
  await stage.sending('pub_1', 1);
  await stage.failed('pub_1', 1);
  assert.equal(kindOf(await stage.publish('pub_2', { revision: 2, strict: true })), 'conflict');
  const resent = await stage.command({ name: 'resendPublication', publicationId: 'pub_1', connection, pagesUrl: null });
  assert.equal(kindOf(resent), 'ok');
  assert.deepEqual(stage.read('pub_1').warnings, [warning]);
});

test('a command of an earlier version has no warnings', async (t) => {
  const stage = await openStage(t);
  await stage.edit(disputed);
  await stage.command({ name: 'putSettings', repoId, settings: { ...defaultSettings, strictPublishing: true } });
  await stage.publish('pub_1', { revision: 2 });
  assert.ok(!('warnings' in stage.read('pub_1')));
});
