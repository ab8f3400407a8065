/**
 * Folds the usage of organizations into the directory: the counts of gateways, and the drafts and publications that
 * other partitions relay. A usage record that arrives twice is counted only once.
 */
import { idAt, timeOfUlid } from '../../src/foundation/ids.ts';
import { duplicates } from '../../src/foundation/metrics.ts';
import type { UsageRecord } from '../../src/protocol/journal.ts';
import type { RelayBody } from '../../src/protocol/relays.ts';
import type { Partition } from '../../src/store/partition.ts';
import { readDirectoryRepository, readKey, readOrganization } from '../../src/store/tables/directory.ts';
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
import { count } from './counting.ts';

/**
 * When a gateway sends its first counts, the rows of gateways that started more than this many milliseconds earlier are
 * removed. Those gateways can no longer send counts.
 */
const bootKeepingMs = 86_400_000;

/** Folds one gateway's counts. */
export function foldUsage(partition: Partition, record: UsageRecord): void {
  const { boot, number, calls, keys } = record;
  const known = readBoot(partition, boot);
  if (number <= known && !record.replayed) {
    count(partition, duplicates, { layer: 'usage' });
    return;
  }
  writeBoot(partition, boot, Math.max(number, known));
  if (number === 1) removeBootsBefore(partition, idAt(timeOfUlid(boot) - bootKeepingMs));
  for (const { org, month, daySince, calls: count } of calls) {
    if (org !== instanceUsage && !readOrganization(partition, org)) continue;
    addToMonth(partition, org, month, { apiCalls: count });
    if (daySince > 0) addToDay(partition, org, daySince, count);
  }
  for (const { id, usedAt } of keys) if (readKey(partition, id)) writeKeyUse(partition, id, usedAt);
}

/** Counts one draft or publication that a relay from another partition reports. */
export function foldCounted(partition: Partition, body: Extract<RelayBody, { relay: 'counted' }>): void {
  const orgId = readDirectoryRepository(partition, body.repoId)?.orgId;
  if (orgId !== undefined)
    addToMonth(partition, orgId, monthOf(body.countedAt), {
      [body.counter]: 1,
      ...(body.isRelease && { publishedReleases: 1 }),
    });
}
