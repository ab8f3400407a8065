/**
 * Folds what is counted for organisations into the directory: what a gateway has counted, each record once however often it
 * comes, and what other partitions tell of drafts and publications.
 */
import { idAt, timeOfUlid } from '../../src/foundation/ids.ts';
import { duplicates } from '../../src/foundation/metrics.ts';
import type { UsageRecord } from '../../src/protocol/journal.ts';
import type { RelayBody } from '../../src/protocol/relays.ts';
import type { Partition } from '../../src/store/partition.ts';
import { readDirectoryRepository, readKey, readOrganisation } from '../../src/store/tables/directory.ts';
import {
  addToDay,
  addToMonth,
  instanceUsage,
  monthOf,
  readBoot,
  removeBootsBefore,
  writeBoot,
  writeKeyUse,
} from '../../src/store/tables/usage.ts';

/** A record of a gateway that ended this long ago comes no more. */
const bootKeepingMs = 86_400_000;

/** Folds one gateway's counts. */
export function foldUsage(partition: Partition, record: UsageRecord): void {
  const { boot, number, calls, keys } = record;
  const known = readBoot(partition, boot);
  if (number <= known && !record.replayed) {
    duplicates.inc({ layer: 'usage' });
    return;
  }
  writeBoot(partition, boot, Math.max(number, known));
  if (number === 1) removeBootsBefore(partition, idAt(timeOfUlid(boot) - bootKeepingMs));
  for (const { org, month, daySince, calls: count } of calls) {
    if (org !== instanceUsage && !readOrganisation(partition, org)) continue;
    addToMonth(partition, org, month, { apiCalls: count });
    if (daySince > 0) addToDay(partition, org, daySince, count);
  }
  for (const { id, usedAt } of keys) if (readKey(partition, id)) writeKeyUse(partition, id, usedAt);
}

/** Folds something that happened in another partition. */
export function foldCounted(partition: Partition, body: Extract<RelayBody, { relay: 'counted' }>): void {
  const orgId = readDirectoryRepository(partition, body.repoId)?.orgId;
  if (orgId !== undefined)
    addToMonth(partition, orgId, monthOf(body.countedAt), {
      [body.counter]: 1,
      ...(body.isRelease && { publishedReleases: 1 }),
    });
}
