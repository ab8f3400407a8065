/**
 * Describes the service: its versions, the durability of its journal, and the limits of an organization. Every key may
 * read this, so the reply contains no address, path or credential.
 */
import { hostOrigins } from '../../config/hosts.ts';
import { tierNamed, tiersOf } from '../../config/tiers.ts';
import { version } from '../foundation/version.ts';
import { type AboutQuery, AboutQuerySchema, aboutContracts } from '../protocol/resources/about.ts';
import { tierOfUsage } from '../store/tables/tiers.ts';
import { instanceUsage } from '../store/tables/usage.ts';
import { namedOrganizationId } from './organizations.ts';
import type { ApiRequest, ApiRoute } from './route.ts';

const getAbout: ApiRoute<AboutQuery> = {
  method: 'GET',
  path: '/api/about',
  operation: 'getAbout',
  contract: aboutContracts.getAbout,
  scope: null,
  query: AboutQuerySchema,
  handle: (request) => {
    const { facts, journal, settings } = request.context;
    const body = {
      version,
      node: process.versions.node,
      journalServer: journal.connection.info?.version ?? null,
      durability: facts?.durability ?? null,
      partitions: settings.partitions,
      hosts: hostOrigins(settings).length,
      startedAt: new Date(facts?.startedAt ?? Date.now()).toISOString(),
      limits: limitsOf(request),
    };
    return { status: 200, body };
  },
};

function limitsOf({ caller, context: { settings }, directory, query }: ApiRequest<AboutQuery>): object {
  const owner = namedOrganizationId({ caller, directory }, query.orgId) ?? instanceUsage;
  const tier = tierNamed(tiersOf(settings), tierOfUsage(directory, owner, settings.instanceTier));
  const { name, apiPerMinute, apiPerHour, apiPerDay, webhooksPerMinute, webhooksPerHour } = tier;
  return {
    ...{ tier: name, apiPerMinute, apiPerHour, apiPerDay, webhooksPerMinute, webhooksPerHour },
    ...{ keys: settings.maxKeys, ranges: settings.maxRanges },
    ...{ webhookEndpoints: settings.maxWebhookEndpoints, backfills: settings.maxBackfills },
  };
}

export const aboutRoutes = [getAbout];
