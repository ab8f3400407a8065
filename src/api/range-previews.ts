/**
 * Previews ranges that need not exist: asks the owner of the repository, and makes the bodies of the replies.
 */
import { compareUrlOf } from '../foundation/compare-url.ts';
import { ask } from '../journal/query.ts';
import type { OpenEnds, RangeBounds, RangeRecord } from '../protocol/stored.ts';
import type { RangePreview, RangePreviewTask } from '../protocol/tasks.ts';
import { readRepository } from '../store/tables/repositories.ts';
import { shownBounds } from '../store/tables/responses.ts';
import { type ApiContext, partitionOfId, readPartition } from './context.ts';

/** A range that was previewed. `url` is the web address of the repository on its host. */
export interface Previewed {
  repoId: string;
  url: string;
  bounds: RangeBounds;
  preview: RangePreview;
}

/**
 * Previews a range.
 * @throws ServiceError `notFound` for a repository that has not sent an event yet, `invalid` for unknown tags or branches
 */
export async function previewOf(context: ApiContext, asked: Omit<RangePreviewTask, 'task'>): Promise<Previewed> {
  const { repoId, bounds } = asked;
  const name = partitionOfId(context, repoId) as string;
  const task: RangePreviewTask = { task: 'rangePreview', ...asked };
  const preview = await ask<RangePreviewTask, RangePreview>(context.journal, name, task);
  const url = readRepository(readPartition(context, name), repoId)?.url ?? '';
  return { repoId, url, bounds, preview };
}

/** Returns the body of the reply that previews a range. */
export function rangePreviewResponse({ repoId, url, bounds, preview }: Previewed): object {
  const { since: _, openEnds, ...found } = preview;
  return { repoId, ...shownBounds(endsOf(bounds, openEnds)), ...comparison(url, bounds, openEnds), ...found };
}

/**
 * Returns the body of the reply that shows what is not released yet.
 * @param rangeId the range that follows the branch; null if there is none
 */
export function unreleasedResponse({ repoId, url, bounds, preview }: Previewed, rangeId: string | null): object {
  const { openEnds, since, prCount: pulls, issueCount: issues, commitCount: commits, ...found } = preview;
  return {
    rangeId,
    repoId,
    branch: openEnds?.branch ?? null,
    head: openEnds?.head ?? null,
    since: since && { ...since, date: new Date(since.date).toISOString() },
    ...comparison(url, bounds, openEnds),
    counts: { pulls, issues, commits },
    ...found,
  };
}

function comparison(url: string, bounds: RangeBounds, openEnds: OpenEnds | undefined): { compareUrl?: string } {
  const compareUrl = compareUrlOf(endsOf(bounds, openEnds), url);
  return compareUrl === undefined ? {} : { compareUrl };
}

function endsOf(bounds: RangeBounds, openEnds: OpenEnds | undefined): Pick<RangeRecord, 'bounds' | 'openEnds'> {
  return { bounds, ...(openEnds && { openEnds }) };
}
