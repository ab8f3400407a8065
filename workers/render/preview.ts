/**
 * The preview task: checks the bounds of a range to be against what is captured, and counts what it holds.
 */
import { invalid, notFound } from '../../src/foundation/errors.ts';
import { toldAncestry } from '../../src/notes/range/evidence.ts';
import { type Selection, select } from '../../src/notes/range/select.ts';
import { spanBetween } from '../../src/notes/range/window.ts';
import type { RangeBounds, TagRecord } from '../../src/protocol/stored.ts';
import type { Preview, PreviewTask } from '../../src/protocol/tasks.ts';
import type { Partition } from '../../src/store/partition.ts';
import { RepositoryView } from '../../src/store/repository-view.ts';

/**
 * Counts a range that may not exist yet.
 * @throws ServiceError `notFound` for the repository, `invalid` naming each tag that is unknown or both that are reversed
 */
export function preview(partition: Partition, { repoId, bounds }: PreviewTask, beforeRead?: () => void): Preview {
  const view = RepositoryView.of(partition, repoId, beforeRead);
  if (!view) throw notFound('Repository', repoId);
  checkTags(view, bounds);
  return count(view, bounds);
}

/** Counts of a range whose bounds are known to be good. */
function count(view: RepositoryView, bounds: RangeBounds): Preview {
  return countsOf(select(view, bounds));
}

/** Counts of a selection, as ranges show them. */
export function countsOf({ pulls, issues, resolution }: Selection): Preview {
  return { prCount: pulls.length, issueCount: issues.length, resolution };
}

function checkTags(view: RepositoryView, bounds: RangeBounds): void {
  if (bounds.type !== 'TAG_BASED') return;
  const { fromTag = '', toTag = '' } = bounds;
  const [from, to] = [view.tag(fromTag), view.tag(toTag)];
  const expected = (what: string, got: string) => `expected ${what}, got ${JSON.stringify(got)}`;
  if (!from || !to) {
    const known = `a tag of ${view.repository.fullName}`;
    const details = {
      ...(!from && { fromTag: expected(known, fromTag) }),
      ...(!to && { toTag: expected(known, toTag) }),
    };
    throw invalid(details, 'The range names a tag that is not known.');
  }
  if (isReversed(view, bounds, from, to)) {
    const order = 'fromTag to be the older of the two';
    throw invalid({ fromTag: expected(order, fromTag), toTag: expected(order, toTag) }, 'The tags are reversed.');
  }
}

/** Tags are reversed when the one named second leads to the first; with ancestry unknown, when it is older. */
function isReversed(view: RepositoryView, bounds: RangeBounds, from: TagRecord, to: TagRecord): boolean {
  // A release candidate and the release can be the same commit: nothing lies between, and nothing is reversed.
  if (from.sha !== null && from.sha === to.sha) return false;
  const told = from.sha !== null && to.sha !== null ? toldAncestry(view, from.sha, to.sha) : undefined;
  if (told) return told === 'behind';
  const backwards = select(view, { ...bounds, fromTag: bounds.toTag as string, toTag: bounds.fromTag as string });
  if (backwards.resolution === 'commits') return !backwards.diverged;
  const span = spanBetween(view, from, to);
  return span.to < span.from;
}
