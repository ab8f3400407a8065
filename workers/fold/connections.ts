/**
 * Reports to webhook endpoints that a repository was connected or disconnected. The directory partition stores the
 * connection states, so it compares the state before a record with the state after it.
 */
import type { JournalRecord } from '../../src/protocol/journal.ts';
import type { ConnectionCause } from '../../src/protocol/webhooks.ts';
import type { Partition } from '../../src/store/partition.ts';
import { type DirectoryRepository, writeDirectoryRepository } from '../../src/store/tables/directory.ts';
import { sendEvent } from './webhook-deliveries.ts';

/** The record that changes a repository, and why. */
export interface Change extends Pick<JournalRecord, 'id' | 'at'> {
  cause: ConnectionCause;
}

/**
 * Writes a repository and reports whether this has connected or disconnected it. A change between `unselected` and
 * `disconnected` is not reported, because the repository stays without a connection. If the repository has moved to
 * another organization, both organizations get their event, each with the name that it knows.
 */
export function writeConnection(
  partition: Partition,
  before: DirectoryRepository | undefined,
  after: DirectoryRepository,
  change: Change,
): void {
  writeDirectoryRepository(partition, after);
  const isMoved = before !== undefined && before.orgId !== after.orgId;
  const was = before?.state === 'connected';
  const is = after.state === 'connected';
  if (was && (isMoved || !is)) report(partition, before, 'repository.disconnected', isMoved ? moved(change) : change);
  if (is && (isMoved || !was)) report(partition, after, 'repository.connected', isMoved ? moved(change) : change);
}

function moved(change: Change): Change {
  return { ...change, cause: 'transfer' };
}

function report(
  partition: Partition,
  { id: repoId, orgId, fullName }: DirectoryRepository,
  event: 'repository.connected' | 'repository.disconnected',
  { id, at, cause }: Change,
): void {
  const data = { repoId, fullName, cause };
  sendEvent(partition, orgId, { repoId, event, happenedAt: at, data }, `${id}\n${event}\n${repoId}`);
}
