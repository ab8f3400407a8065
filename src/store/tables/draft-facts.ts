/** What the newest generation of each draft was made from, by the id of the draft. */
import { digestOf } from '../../foundation/etag.ts';
import type { DraftFacts } from '../../protocol/outdated.ts';
import type { Partition } from '../partition.ts';

interface Row extends DraftFacts {
  /** Digest of the generated text that the facts are about. */
  base: string;
}

/**
 * Returns what a generated text was made from. Returns undefined if an earlier version of Tidings generated the text, or
 * if the draft's text was restored from an earlier generation.
 */
export function readFacts(partition: Partition, draftId: string, generatedMd: string): DraftFacts | undefined {
  const row: Row | undefined = partition.tables.draftFacts.get(draftId);
  return row?.base === digestOf(generatedMd) ? row : undefined;
}

/** Stores what a generated text was made from. The facts of the former text are removed also if there are no new ones. */
export function writeFacts(
  partition: Partition,
  draftId: string,
  generatedMd: string,
  facts: DraftFacts | undefined,
): void {
  if (facts) partition.tables.draftFacts.putSync(draftId, { base: digestOf(generatedMd), ...facts } satisfies Row);
  else removeFacts(partition, draftId);
}

export function removeFacts(partition: Partition, draftId: string): void {
  partition.tables.draftFacts.removeSync(draftId);
}
