/**
 * The preview task: checks the bounds of a range to be against what is captured, and counts what it holds.
 */
import { invalid, notFound } from '../../src/errors.ts';
import { select } from '../../src/notes/select.ts';
import type { RangeBounds } from '../../src/protocol/stored.ts';
import type { Preview } from '../../src/protocol/tasks.ts';
import type { Partition } from '../../src/store/partition.ts';
import { RepositoryView } from '../../src/store/repository-view.ts';

/**
 * Counts a range that may not exist yet.
 * @throws ServiceError `notFound` for the repository, `invalid` naming each tag that is unknown or both that are reversed
 */
export function preview(partition: Partition, repoId: string, bounds: RangeBounds): Preview {
  const view = RepositoryView.of(partition, repoId);
  if (!view) throw notFound('Repository', repoId);
  checkTags(view, bounds);
  return count(view, bounds);
}

/** Counts of a range whose bounds are known to be good. */
export function count(view: RepositoryView, bounds: RangeBounds): Preview {
  const selection = select(view, bounds);
  return {
    prCount: selection.pulls.length,
    issueCount: selection.issues.length,
    resolution: selection.resolution,
  };
}

function checkTags(view: RepositoryView, bounds: RangeBounds): void {
  if (bounds.type !== 'TAG_BASED') return;
  const details: Record<string, string> = {};
  for (const field of ['fromTag', 'toTag'] as const) {
    const name = bounds[field] ?? '';
    if (!view.tag(name)) details[field] = `expected a tag of ${view.repository.fullName}, got ${JSON.stringify(name)}`;
  }
  if (Object.keys(details).length > 0) throw invalid(details, 'The range names a tag that is not known.');
  if (isReversed(view, bounds)) {
    const expected = 'expected fromTag to be the older of the two';
    throw invalid({ fromTag: expected, toTag: expected }, 'The tags are reversed.');
  }
}

/** Tags are reversed when the one named second leads to the first; with ancestry unknown, when it is older. */
function isReversed(view: RepositoryView, bounds: RangeBounds): boolean {
  const [fromSha, toSha] = [view.tag(bounds.fromTag as string)?.sha, view.tag(bounds.toTag as string)?.sha];
  // A release candidate and the release can be the same commit: nothing lies between, and nothing is reversed.
  if (fromSha !== null && fromSha === toSha) return false;
  const backwards = select(view, { ...bounds, fromTag: bounds.toTag as string, toTag: bounds.fromTag as string });
  if (backwards.resolution === 'commits') return !backwards.diverged;
  const from = view.tag(bounds.fromTag as string)?.date ?? 0;
  const to = view.tag(bounds.toTag as string)?.date ?? 0;
  return to < from;
}
