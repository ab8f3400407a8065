/**
 * Reports the statistics of an organization or of the whole instance in the current month (spec parts 2 and 4), and the
 * counts per week of the repositories that the caller may see. The directory partition contains the count of API calls
 * without the calls of the last seconds. The calls of the last seconds are added from the memory of the gateways.
 */
import { type Tier, tierNamed, tiersOf } from '../../config/tiers.ts';
import { notFound } from '../foundation/errors.ts';
import { directoryName } from '../foundation/partition-names.ts';
import { inTurns } from '../foundation/turn.ts';
import {
  defaultWeeks,
  type StatsQuery,
  StatsQuerySchema,
  statsContracts,
  type WeeklyStatsQuery,
  WeeklyStatsQuerySchema,
} from '../protocol/resources/stats.ts';
import { listDirectoryRepositories, listOrganizations } from '../store/tables/directory.ts';
import { tierOfUsage } from '../store/tables/tiers.ts';
import { instanceUsage, type MonthUsage, monthOf, readMonth } from '../store/tables/usage.ts';
import {
  addedWeeks,
  medianHours,
  noCounts,
  readWeeks,
  startOfWeek,
  type WeekCounts,
  weekOf,
} from '../store/tables/weeks.ts';
import { partitionOfId, readPartition } from './context.ts';
import { namedOrganizationId } from './organizations.ts';
import type { UnsavedCalls } from './other-gateways.ts';
import type { ApiRequest, ApiRoute } from './route.ts';

const getStats: ApiRoute<StatsQuery> = {
  method: 'GET',
  path: '/api/stats',
  operation: 'getStats',
  contract: statsContracts.getStats,
  scope: 'stats:read',
  query: StatsQuerySchema,
  handle: (request) => {
    const { query, caller, directory, context } = request;
    const orgId = namedOrganizationId({ caller, directory }, query.orgId);
    if (!context.gateways) return { status: 200, body: statsOf(request, orgId, noUnsavedCalls) };
    return context.gateways.unsavedCalls().then((unsaved) => {
      // The directory is read again, because it can contain calls by now that other gateways have just saved.
      const now = { ...request, directory: readPartition(context, directoryName) };
      return { status: 200, body: statsOf(now, orgId, unsaved) };
    });
  },
};

/** Number of repositories that are read in one turn of the event loop, since the loop also accepts webhooks. */
const maxPerTurn = 200;

const getWeeklyStats: ApiRoute<WeeklyStatsQuery> = {
  method: 'GET',
  path: '/api/stats/weeks',
  operation: 'getWeeklyStats',
  contract: statsContracts.getWeeklyStats,
  scope: 'stats:read',
  query: WeeklyStatsQuerySchema,
  handle: async ({ query, caller, context, directory }) => {
    const { repoId, weeks = defaultWeeks } = query;
    const orgId = namedOrganizationId({ caller, directory }, query.orgId);
    const listed = listDirectoryRepositories(directory, orgId)
      .map(({ id }) => id)
      .filter((id) => (repoId === undefined || id === repoId) && caller.maySee(id));
    if (repoId !== undefined && listed.length === 0) throw notFound('Repository', repoId);
    const last = weekOf(Date.now());
    const counts = new Map<number, WeekCounts>();
    for await (const id of inTurns(listed, maxPerTurn)) {
      const partition = readPartition(context, partitionOfId(context, id) as string);
      for (const [week, more] of readWeeks(partition, id, last - weeks + 1, last))
        counts.set(week, addedWeeks(counts.get(week), more));
    }
    const shown = Array.from({ length: weeks }, (_, i) => last - weeks + 1 + i);
    return { status: 200, body: { weeks: shown.map((week) => weekResponse(week, counts.get(week))) } };
  },
};

/** Returns one week in its form in API replies. */
export function weekResponse(week: number, { merged, withoutLabels, waits }: WeekCounts = noCounts): object {
  const published = waits.reduce((total, [, changes]) => total + changes, 0);
  const from = new Date(startOfWeek(week)).toISOString().slice(0, 10);
  return { from, merged, withoutLabels, published, medianHours: medianHours(waits) };
}

const noUnsavedCalls: UnsavedCalls = () => 0;

/** Returns the statistics of an organization or, if `orgId` is null, of the whole instance. */
function statsOf(
  { context, directory, usage }: ApiRequest<StatsQuery>,
  orgId: string | null,
  unsaved: UnsavedCalls,
): object {
  const now = Date.now();
  const currentMonth = monthOf(now);
  const owners = orgId === null ? [instanceUsage, ...listOrganizations(directory).map(({ id }) => id)] : [orgId];
  const months = owners.map((owner) => {
    const { apiCalls, ...rest } = readMonth(directory, owner, currentMonth);
    const own = usage.unfolded(directory, owner, currentMonth);
    return { ...rest, apiCalls: apiCalls + own + unsaved(directory, owner, currentMonth) };
  });
  const tiers = tiersOf(context.settings);
  const tierOf = (owner: string) => tierNamed(tiers, tierOfUsage(directory, owner, context.settings.instanceTier));
  const shares = months.map(({ apiCalls }, i) => shareOf(apiCalls, tierOf(owners[i] as string), now));
  const connected = listDirectoryRepositories(directory, orgId).filter(({ state }) => state === 'connected');
  return {
    currentMonth,
    activeRepos: connected.length,
    draftsGenerated: sum(months, 'draftsGenerated'),
    publishedReleases: sum(months, 'publishedReleases'),
    publications: sum(months, 'publications'),
    apiCalls: sum(months, 'apiCalls'),
    billingTier: orgId === null ? instanceUsage : tierOf(orgId).name,
    usagePercentage: Math.max(...shares),
  };
}

/**
 * Returns the share of the monthly limit that was used, in percent with two decimals. The monthly limit is the daily
 * limit times the days of the month. Example: with a daily limit of 10,000, the limit of a month of 31 days is 310,000,
 * and 1,550 calls are 0.5 percent. Returns 0 without a daily limit.
 */
function shareOf(calls: number, { apiPerDay }: Tier, now: number): number {
  if (apiPerDay === 0) return 0;
  const date = new Date(now);
  const days = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  return Math.round((calls / (apiPerDay * days)) * 10_000) / 100;
}

function sum(months: readonly MonthUsage[], counter: keyof MonthUsage): number {
  return months.reduce((total, month) => total + month[counter], 0);
}

export const statsRoutes = [getStats, getWeeklyStats];
