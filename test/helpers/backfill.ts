/**
 * What backfills leave, to be compared: the dump of a repository without what only one of the two ways of capture can know.
 */
import type { TestContext } from 'node:test';
import { ulid } from '../../src/foundation/ids.ts';
import { toEvents } from '../../src/intake/events.ts';
import type { JournalRecord } from '../../src/protocol/journal.ts';
import { dumpRepository } from '../../src/store/dump.ts';
import { foldBatch } from '../../workers/partition/batch.ts';
import { type Delivery, deliveriesOf } from './host/deliveries.ts';
import { type History, reachable } from './host/history.ts';
import type { TestHost } from './host/server.ts';
import { openTestPartition, toMessages } from './partition.ts';
import type { Answer, TestService } from './service.ts';
import { waitUntil } from './wait-until.ts';

/**
 * Lines of a dump. Left out: how a branch came to be (one push or several steps), a commit's parents and a tag's branch and
 * time of push, of which only one side tells, and the date of an annotated tag, which is its tagger's or its commit's.
 */
export function comparable(dump: string): string[] {
  const records = dump.split('\n').filter((line) => line !== '');
  return records.flatMap((line) => {
    const { parents: _, pushedAt: _at, baseRef, ...record } = JSON.parse(line);
    if (record.record === 'push') return [];
    if (record.record === 'pull') return [JSON.stringify({ ...record, baseRef })];
    if (record.tagObject) delete record.date;
    return [JSON.stringify(record)];
  });
}

/** What webhooks would have captured of a host's history, folded without a service. */
export async function byWebhooks(t: TestContext, host: TestHost): Promise<string> {
  const partition = openTestPartition(t);
  const records = deliveriesOf(host.history, host.place).flatMap((delivery) => toRecords(delivery, host.origin));
  await foldBatch(partition, toMessages(records.map((record) => [record])));
  return [...dumpRepository(partition, (records[0] as { repository: { id: string } }).repository.id)].join('');
}

function toRecords({ event, payload, at }: Delivery, origin: string): (JournalRecord & { kind: 'event' })[] {
  const minimised = toEvents(event, payload, origin, at);
  const delivery = ulid();
  return (minimised?.bodies ?? []).map((body, part) => ({
    ...{ id: ulid(), at, kind: 'event' as const, delivery, source: '', part, body },
    repository: (minimised as { repository: (JournalRecord & { kind: 'event' })['repository'] }).repository,
  }));
}

/** Numbers of the pull requests that the graph has between two tags. */
export function mergedBetween(history: History, fromTag: string, toTag: string): number[] {
  const at = (name: string) => history.tags.find((tag) => tag.name === name)?.sha as string;
  const before = new Set(reachable(history, at(fromTag)).map(({ sha }) => sha));
  const gained = new Set(reachable(history, at(toTag)).flatMap(({ sha }) => (before.has(sha) ? [] : sha)));
  return history.pulls.flatMap(({ number, mergeSha }) => (mergeSha && gained.has(mergeSha) ? number : []));
}

/** The id of the one repository that a service knows. */
export async function theRepository(service: TestService): Promise<string> {
  const id: unknown = await waitUntil(
    'the repository is known',
    async () => (await service.api('GET', '/api/repos')).body.repos[0]?.id,
  );
  return String(id);
}

/** Waits for the end of the backfill under way; its last state. */
export async function ended(service: TestService, repoId: string): Promise<Answer['body']> {
  return waitUntil('the backfill has ended', async () => {
    const { body } = await service.api('GET', `/api/repos/${repoId}/backfill`).catch(() => ({ body: {} as never }));
    return ['completed', 'failed', 'cancelled'].includes(body.state) && body;
  });
}
