/**
 * Notes which pull requests have been published, so that only the first publication of each counts for the time from
 * merge to publication.
 */
import { markedIn, numberAndSha } from '../../foundation/markers.ts';
import type { PublicationRecord } from '../../protocol/publications.ts';
import type { Partition } from '../partition.ts';
import { readDraft } from './drafts.ts';
import { readPull } from './pulls.ts';
import { readDraftRevision, readTexts } from './revisions.ts';
import { countWaits } from './weeks.ts';

/**
 * Counts how long the changes of a publication had waited since their merge. Changes that an earlier publication had
 * are left out. Deleting a publication does not lower the counts.
 */
export function countPublicationWaits(partition: Partition, publication: PublicationRecord, at: number): void {
  const { repoId } = publication;
  const { publishedPulls } = partition.tables;
  const waited: number[] = [];
  for (const number of numbersIn(partition, publication)) {
    const mergedAt = readPull(partition, repoId, number)?.mergedAt ?? null;
    if (mergedAt === null || publishedPulls.get([repoId, number]) !== undefined) continue;
    publishedPulls.putSync([repoId, number], true);
    waited.push(at - mergedAt);
  }
  countWaits(partition, repoId, waited, at);
}

/** Returns the numbers of the pull requests in the text of a publication; none if the text was erased. */
function numbersIn(partition: Partition, { draftId, revision }: PublicationRecord): Set<number> {
  const draft = readDraft(partition, draftId);
  const made = draft && readDraftRevision(partition, draftId, revision);
  const ids = made ? markedIn(readTexts(partition, draft, made).bodyMd) : [];
  return new Set(ids.flatMap((id) => (id.startsWith('pr:') ? (numberAndSha(id).number ?? []) : [])));
}
