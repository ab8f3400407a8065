/**
 * Writes relays from a repository's partition to the directory partition: events for webhook endpoints, and counts of
 * usage. Each relay is written in the same transaction as its cause.
 */
import type { RelayBody } from '../../src/protocol/relays.ts';
import type { WebhookData, WebhookEvent } from '../../src/protocol/webhooks.ts';
import type { Partition } from '../../src/store/partition.ts';
import { writeEffect } from '../../src/store/tables/outbox.ts';

type Counted = Extract<RelayBody, { relay: 'counted' }>;

/** Adds one to a usage counter of the repository's organization, in the month of `at`. */
export function countFor(
  partition: Partition,
  repoId: string,
  counted: Pick<Counted, 'counter' | 'isRelease'>,
  at: number,
): void {
  const body = { relay: 'counted', repoId, ...counted, countedAt: at } as const;
  writeEffect(partition, { effect: 'relay', target: 'directory', at, body });
}

/**
 * Sends an event to those webhook endpoints of the repository's organization that subscribe to the event. `at` is the
 * time of the event, in milliseconds.
 */
export function eventFor<Event extends WebhookEvent>(
  partition: Partition,
  repoId: string,
  event: Event,
  at: number,
  data: WebhookData[Event],
): void {
  const body = { relay: 'webhookEvent', repoId, event, happenedAt: at, data } as const;
  writeEffect(partition, { effect: 'relay', target: 'directory', at, body });
}
