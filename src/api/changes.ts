/**
 * Explains the content of a range. Lists every pull request, issue and commit that was considered, and states for each
 * of them whether the range includes it and why. The spec does not define this list. The worker that owns the partition
 * computes the list on each request from the current data.
 */
import { ask } from '../journal/query.ts';
import { type ListChangesQuery, ListChangesQuerySchema, rangeContracts } from '../protocol/resources/ranges.ts';
import type { Changes, ChangesTask } from '../protocol/tasks.ts';
import { readRange } from '../store/tables/ranges.ts';
import { placeOf } from './page.ts';
import type { ApiRoute } from './route.ts';
import { visible } from './stored-object.ts';

const listChanges: ApiRoute<ListChangesQuery> = {
  method: 'GET',
  path: '/api/ranges/:rangeId/changes',
  operation: 'listRangeChanges',
  contract: rangeContracts.listRangeChanges,
  scope: 'ranges:read',
  query: ListChangesQuerySchema,
  handle: async (request) => {
    const [rangeId = ''] = request.params;
    const { partition } = visible(request, rangeId, { prefix: 'range', resource: 'Release range', read: readRange });
    const { limit = 20, offset = 0, included } = request.query;
    const question: ChangesTask = { task: 'changes', rangeId, limit, offset, ...onlyIncluded(included) };
    const { changes, total, diagnostics } = await ask<ChangesTask, Changes>(
      request.context.journal,
      partition.name,
      question,
    );
    return { status: 200, body: { changes, ...placeOf(offset, changes.length, total), diagnostics } };
  },
};

/** Returns the field of a task that selects changes: those in the notes, those that are not, or all. */
export function onlyIncluded(included: ListChangesQuery['included']): Pick<ChangesTask, 'included'> {
  return included === undefined ? {} : { included: included === 'true' };
}

export const changesRoutes = [listChanges];
