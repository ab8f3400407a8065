/**
 * The whole route table of the API (spec part 4).
 */
import { backfillRoutes } from './backfills.ts';
import { draftRoutes } from './drafts.ts';
import type { ApiRoute } from './handle.ts';
import { rangeRoutes } from './ranges.ts';
import { repositoryRoutes } from './repositories.ts';
import { retentionRoutes } from './retention.ts';
import { webhookSecretRoutes } from './webhook-secrets.ts';

export const apiRoutes: readonly ApiRoute<never>[] = [
  ...repositoryRoutes,
  ...backfillRoutes,
  ...rangeRoutes,
  ...draftRoutes,
  ...retentionRoutes,
  ...webhookSecretRoutes,
];
