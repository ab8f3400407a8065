/** `tidings deliveries`: lists the newest webhook deliveries of hosts. The running gateways have them in memory. */
import { deliveryRoutes } from '../api/deliveries.ts';
import { askDeliveries } from '../journal/gateway-facts.ts';
import { call } from './api.ts';
import { withService } from './connection.ts';
import { printJson } from './json.ts';
import { readNumber } from './number.ts';
import { printLines } from './print.ts';
import { findRepository } from './repository.ts';
import type { deliveriesEntry } from './table/operation.ts';
import type { Run } from './usage.ts';

/** The fields of a delivery that the command uses. */
interface Listed {
  receivedAt: string;
  outcome: string;
  status: number;
  message: string | null;
  remedy: string | null;
  event: string | null;
  repository: string | null;
  address: string | null;
}

const usualLimit = 20;
const maxLimit = 2000;

export const runDeliveries: Run<typeof deliveriesEntry> = async ({ json, outcome, event, repo, limit: wanted }) => {
  const limit = readNumber('--limit', 'deliveries', wanted, 1, maxLimit) ?? usualLimit;
  return withService(async (context) => {
    const repoId = repo === undefined ? undefined : findRepository(context.readers, repo).id;
    const found = await askDeliveries(context.journal);
    if (!found) throw new Error('No gateway answers. Try again in a second');
    const { since, refused, recentSince, recent } = found;
    const refusals = { since, list: () => refused, inLastHour: () => 0 };
    const query = { limit, ...(outcome && { outcome }), ...(event && { event }), ...(repoId && { repoId }) };
    const reply = await call<{ deliveries: Listed[] }>(
      { ...context, refusals, recent: { since: recentSince, list: () => recent } },
      deliveryRoutes,
      'listDeliveries',
      { query },
    );
    if (json) return printJson(reply);
    printLines(reply.deliveries.map(describe), 'There are no such deliveries in the memory of the gateways.');
    return 0;
  });
};

function describe({ receivedAt, outcome, status, event, repository, address, message, remedy }: Listed): string {
  const about = [event ?? 'no event', repository ?? (address === null ? undefined : `from ${address}`)];
  const why = message === null ? '' : `  ${[message, remedy].filter((text) => text !== null).join('. ')}`;
  return `${receivedAt}  ${outcome.padEnd(9)}  ${status}  ${about.filter(Boolean).join(' ')}${why}`;
}
