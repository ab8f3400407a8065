/** The part of `tidings doctor` about refused deliveries. The running gateways have them in memory. */
import type { GatewayFacts } from '../journal/gateway-facts.ts';
import { refusalReasons } from '../protocol/refused-deliveries.ts';
import type { Finding } from './finding.ts';

/** Reports how many deliveries were refused in the last hour, and why the last one was refused. */
export function checkRefused(facts: GatewayFacts | undefined): Finding[] {
  if (!facts) return [];
  const { refusedInLastHour: count, lastRefused } = facts;
  if (count === 0) return [{ verdict: 'ok', text: 'no delivery was refused in the last hour' }];
  const many = `${count} ${count === 1 ? 'delivery was' : 'deliveries were'} refused in the last hour`;
  if (!lastRefused) return [{ verdict: 'note', text: many }];
  const { receivedAt, address, hostKind, hookId, event, reason } = lastRefused;
  const { because, remedy } = refusalReasons[reason];
  const from = [address ?? 'an unknown address', hostKind && `(${hostKind})`, hookId && `webhook ${hookId}`];
  const last = `${from.filter(Boolean).join(' ')}${event === null ? '' : `, event ${event}`}`;
  const at = new Date(receivedAt).toISOString();
  return [
    {
      verdict: 'note',
      text: `${many}. The last one, at ${at} from ${last}, was refused because ${because}. ${remedy}`,
    },
  ];
}
