/**
 * Drafts by id. A draft's id is derived from its range and persona, so no index from ranges to drafts is needed. A
 * draft's record contains the newest text. The earlier texts are stored by `revisions.ts`.
 */
import { digestOf } from '../../foundation/etag.ts';
import { draftId } from '../../foundation/ids.ts';
import { personas } from '../../protocol/names.ts';
import type { DraftRecord } from '../../protocol/stored.ts';
import type { Partition } from '../partition.ts';

/** Returns the ids of all drafts that a range can have, one per persona. */
export function draftsOf(rangeId: string): string[] {
  return personas.map((persona) => draftId(rangeId, persona));
}

export function readDraft(partition: Partition, id: string): DraftRecord | undefined {
  return partition.tables.drafts.get(id);
}

/** Writes a draft together with the digest of its content. Returns the stored record. */
export function writeDraft(partition: Partition, draft: Omit<DraftRecord, 'digest'>): DraftRecord {
  const written = { ...draft, digest: contentDigest(draft) };
  partition.tables.drafts.putSync(draft.id, written);
  noteDraft(partition, written);
  return written;
}

function noteDraft({ changes }: Partition, draft: DraftRecord): void {
  const { id: draftId, repoId, rangeId, persona, status, revision, outdatedBecause } = draft;
  const outdated = outdatedBecause !== undefined;
  changes?.note(draftId, {
    event: 'draft.status',
    data: { repoId, rangeId, draftId, persona, status, revision, outdated },
  });
}

/** Whether a range has a draft. The draft is not decoded. */
export function hasDraft(partition: Partition, rangeId: string): boolean {
  return draftsOf(rangeId).some((id) => partition.tables.drafts.doesExist(id));
}

/**
 * Returns the digest of a draft's content. The list of fields must never change. A command contains this digest to name
 * the draft's state, and a replay of the command must compute the same digest.
 */
function contentDigest({
  id,
  status,
  error,
  revision,
  flags,
  createdAt,
  updatedAt,
  bodyMd,
}: Omit<DraftRecord, 'digest'>) {
  return digestOf(JSON.stringify([id, status, error, revision, flags, createdAt, updatedAt, bodyMd]));
}
