/**
 * Has the directory tell the webhook endpoints of a repository's organisation of an event: a relay, written with its cause.
 */
import type { WebhookData, WebhookEvent } from '../../src/protocol/webhooks.ts';
import type { Partition } from '../../src/store/partition.ts';
import { writeEffect } from '../../src/store/tables/outbox.ts';

/** Tells of an event that happened at time `at`. */
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
