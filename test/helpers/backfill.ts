/**
 * Helps tests to compare the data of a backfill with the data of webhooks. Fields that only one of these sources
 * contains are removed first.
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
 * Returns the lines of a dump without the data that differs between a backfill and webhooks:
 * - the pushes: one source can have one push where the other source has several
 * - the parents of a commit
 * - the branch and the push time of a tag
 * - the date of an annotated tag: one source has the date of the tag, and the other source has the date of the commit
 * - whether a pull request was its author's first one: a backfill sees most pull requests only after their merge
 * - the reactions to a pull request: only the list of issues contains them
 */
export function comparable(dump: string): string[] {
  const records = dump.split('\n').filter((line) => line !== '');
  return records.flatMap((line) => {
    const { parents: _, pushedAt: _at, baseRef, ...record } = JSON.parse(line);
    if (record.record === 'push') return [];
    if (record.record === 'pull') {
      const { firstTime: _first, reactions: _reactions, ...pull } = record;
      return [JSON.stringify({ ...pull, baseRef })];
    }
    if (record.tagObject) delete record.date;
    return [JSON.stringify(record)];
  });
}

/**
 * Returns the dump of the data that webhooks would have captured from a host's history. The data is folded without a
 * service.
 */
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

/** Returns the numbers of the pull requests between two tags, according to the commit graph. */
export function mergedBetween(history: History, fromTag: string, toTag: string): number[] {
  const at = (name: string) => history.tags.find((tag) => tag.name === name)?.sha as string;
  const before = new Set(reachable(history, at(fromTag)).map(({ sha }) => sha));
  const gained = new Set(reachable(history, at(toTag)).flatMap(({ sha }) => (before.has(sha) ? [] : sha)));
  return history.pulls.flatMap(({ number, mergeSha }) => (mergeSha && gained.has(mergeSha) ? number : []));
}

/** Returns the id of the only repository that a service knows. */
export async function theRepository(service: TestService): Promise<string> {
  const id: unknown = await waitUntil(
    'the repository is known',
    async () => (await service.api('GET', '/api/repos')).body.repos[0]?.id,
  );
  return String(id);
}

/** Waits until the current backfill has ended and returns its last state. */
export async function ended(service: TestService, repoId: string): Promise<Answer['body']> {
  return waitUntil('the backfill has ended', async () => {
    const { body } = await service.api('GET', `/api/repos/${repoId}/backfill`).catch(() => ({ body: {} as never }));
    return ['completed', 'failed', 'cancelled'].includes(body.state) && body;
  });
}
