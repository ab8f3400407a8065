/**
 * Drafts by id. A draft's id follows from its range and persona, so the drafts of a range need no index.
 */
import type { DraftRecord } from '../protocol/stored.ts';
import type { Partition } from './partition.ts';

export function readDraft(partition: Partition, id: string): DraftRecord | undefined {
  return partition.tables.drafts.get(id);
}

export function writeDraft(partition: Partition, draft: DraftRecord): void {
  partition.tables.drafts.putSync(draft.id, draft);
}
