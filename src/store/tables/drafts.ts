/**
 * Drafts by id. A draft's id follows from its range and persona, so the drafts of a range need no index. The record holds
 * the newest text; the texts before it are the matter of `revisions.ts`.
 */
import { digestOf } from '../../foundation/etag.ts';
import { draftId } from '../../foundation/ids.ts';
import type { DraftRecord, Persona } from '../../protocol/stored.ts';
import type { Partition } from '../partition.ts';

const personas: readonly Persona[] = ['engineer', 'internal', 'customer'];

/** Ids of the drafts that a range can have. */
export function draftsOf(rangeId: string): string[] {
  return personas.map((persona) => draftId(rangeId, persona));
}

export function readDraft(partition: Partition, id: string): DraftRecord | undefined {
  return partition.tables.drafts.get(id);
}

/** Writes a draft with the digest of what it says now. */
export function writeDraft(partition: Partition, draft: Omit<DraftRecord, 'digest'>): DraftRecord {
  const written = { ...draft, digest: contentDigest(draft) };
  partition.tables.drafts.putSync(draft.id, written);
  return written;
}

/** The list of fields is part of the journal's meaning: a replay must find a draft in the state that a command named. */
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
