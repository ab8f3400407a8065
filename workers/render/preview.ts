/** The preview task: checks the bounds of a future range against the captured data, and counts its changes. */
import { invalid, notFound } from '../../src/foundation/errors.ts';
import { reportedAncestry } from '../../src/notes/range/evidence.ts';
import { type Selection, select } from '../../src/notes/range/select.ts';
import { spanBetween } from '../../src/notes/range/window.ts';
import type { OpenEnds, RangeBounds, TagRecord } from '../../src/protocol/stored.ts';
import type { Preview, PreviewTask } from '../../src/protocol/tasks.ts';
import type { Partition } from '../../src/store/partition.ts';
import { RepositoryView } from '../../src/store/repository-view.ts';

/**
 * Counts the changes of a range. The range does not have to exist yet.
 * @throws ServiceError `notFound` for an unknown repository; `invalid` with the name of each unknown tag, or of both
 * tags if they are reversed; `invalid` for an unknown branch
 */
export function preview(partition: Partition, { repoId, bounds }: PreviewTask, beforeRead?: () => void): Preview {
  const view = RepositoryView.of(partition, repoId, beforeRead);
  if (!view) throw notFound('Repository', repoId);
  checkBounds(view, bounds);
  const selection = select(view, bounds);
  const openEnds = openEndsOf(view, bounds, selection);
  return { ...countsOf(selection), ...(openEnds && { openEnds }) };
}

/** Returns the counts of a selection, as the API returns them for a range. */
export function countsOf({ pulls, issues, resolution, assumed }: Selection): Preview {
  return { prCount: pulls.length, issueCount: issues.length, resolution, ...(assumed && { assumed }) };
}

/** Returns what an unreleased range begins and ends with; undefined for other ranges. */
export function openEndsOf(
  view: RepositoryView,
  { type }: RangeBounds,
  { ends }: Pick<Selection, 'ends'>,
): OpenEnds | undefined {
  if (type !== 'UNRELEASED' || !ends) return undefined;
  const { baseRef: branch, sha: head, pushedAt } = ends.to;
  // Without a known head, only tags that are newer than all known tags can end the range.
  const begunAt = head === null ? Math.max(0, ...view.tags().map((tag) => tag.pushedAt + 1)) : pushedAt;
  return { fromTag: ends.from?.name ?? null, branch, head, begunAt };
}

/**
 * Checks the tags and the branch of a range against the captured data.
 * @throws ServiceError `invalid` with the name of each unknown tag or branch, or of both tags if they are reversed
 */
export function checkBounds(view: RepositoryView, bounds: RangeBounds): void {
  const expected = (what: string, got: string) => `expected ${what}, got ${JSON.stringify(got)}`;
  const { branch } = bounds;
  if (branch !== undefined && view.head(branch) === undefined) {
    const known = `a branch of ${view.repository.fullName} that was pushed to`;
    throw invalid({ branch: expected(known, branch) }, 'The branch of the range is not known.');
  }
  if (bounds.type === 'FIRST_RELEASE' && !view.tag(bounds.toTag ?? '')) {
    const known = `a tag of ${view.repository.fullName}`;
    throw invalid({ toTag: expected(known, bounds.toTag ?? '') }, 'A tag of the range is not known.');
  }
  if (bounds.type !== 'TAG_BASED') return;
  const { fromTag = '', toTag = '' } = bounds;
  const [from, to] = [view.tag(fromTag), view.tag(toTag)];
  if (!from || !to) {
    const known = `a tag of ${view.repository.fullName}`;
    const details = {
      ...(!from && { fromTag: expected(known, fromTag) }),
      ...(!to && { toTag: expected(known, toTag) }),
    };
    throw invalid(details, 'A tag of the range is not known.');
  }
  if (isReversed(view, bounds, from, to)) {
    const order = 'fromTag to be older than toTag';
    throw invalid({ fromTag: expected(order, fromTag), toTag: expected(order, toTag) }, 'The tags are reversed.');
  }
}

/**
 * Whether the tags are reversed. If the ancestry is known, the tags are reversed if the second tag is an ancestor of
 * the first tag. If the ancestry is unknown, the tags are reversed if the second tag is older.
 */
function isReversed(view: RepositoryView, bounds: RangeBounds, from: TagRecord, to: TagRecord): boolean {
  // A release candidate and its release can have the same commit. The range between them is empty, but not reversed.
  if (from.sha !== null && from.sha === to.sha) return false;
  const ancestry = from.sha !== null && to.sha !== null ? reportedAncestry(view, from.sha, to.sha) : undefined;
  if (ancestry) return ancestry === 'behind';
  const backwards = select(view, { ...bounds, fromTag: bounds.toTag as string, toTag: bounds.fromTag as string });
  if (backwards.resolution === 'commits' && !backwards.assumed) return !backwards.diverged;
  const span = spanBetween(view, from, to);
  return span.to < span.from;
}
