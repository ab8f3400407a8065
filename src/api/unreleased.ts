/**
 * Shows what was merged to a branch since its newest release, with a version for the next release. A range follows the
 * branch, so that drafts can be written before the tag exists. The range becomes the range of the tag that arrives.
 */
import { rangeContracts, type UnreleasedQuery, UnreleasedQuerySchema } from '../protocol/resources/ranges.ts';
import type { RangeBounds } from '../protocol/stored.ts';
import { assertVisible, mayUse } from './authenticate.ts';
import { onlyIncluded } from './changes.ts';
import { previewOf, unreleasedResponse } from './range-previews.ts';
import { makeRange, toBounds, unreleasedRange } from './ranges.ts';
import type { ApiRequest, ApiRoute } from './route.ts';

/** Number of changes in a reply, unless the query names another one. */
const usualLimit = 100;

const getUnreleased: ApiRoute<UnreleasedQuery> = {
  method: 'GET',
  path: '/api/repos/:repoId/unreleased',
  operation: 'getUnreleased',
  contract: rangeContracts.getUnreleased,
  scope: 'ranges:read',
  query: UnreleasedQuerySchema,
  handle: async (request) => {
    const { caller, context, query } = request;
    const [repoId = ''] = request.params;
    assertVisible(caller, repoId, 'Repository', repoId);
    const { limit = usualLimit, offset = 0, included, prereleases, ...named } = query;
    const bounds = toBounds(context, repoId, { type: 'UNRELEASED', ...named, prereleases: prereleases === 'true' });
    const previewed = await previewOf(context, { repoId, bounds, limit, offset, ...onlyIncluded(included) });
    return { status: 200, body: unreleasedResponse(previewed, await rangeFor(request, repoId, bounds)) };
  },
};

/**
 * Returns the id of the range that follows the branch. The range is created if there is none yet. A key that may only
 * read never creates anything, so it gets null then.
 */
async function rangeFor(
  request: Pick<ApiRequest, 'caller' | 'context' | 'once' | 'quotas'>,
  repoId: string,
  bounds: RangeBounds,
): Promise<string | null> {
  const existing = unreleasedRange(request.context, repoId, bounds);
  if (existing) return existing.id;
  if (!mayUse(request.caller, 'ranges:write')) return null;
  const { id } = (await makeRange(request, repoId, bounds)) as { id: string };
  return id;
}

export const unreleasedRoutes = [getUnreleased];
