/**
 * Asks the gateway for facts that the gateway keeps in memory. The request is sent over the journal's server, because
 * this server authenticates the gateway. A reply from the HTTP port does not prove that the gateway sent the reply.
 */
import type { RecentDelivery } from '../protocol/recent-deliveries.ts';
import type { RefusedDelivery } from '../protocol/refused-deliveries.ts';
import { packMessage, unpackMessage } from './codec.ts';
import type { Journal } from './connect.ts';
import { gatewaySubject } from './subjects.ts';

/** Facts that a gateway reports about itself. */
export interface GatewayFacts {
  /** Random text that identifies the gateway process. The gateway's probe page also shows this text. */
  mark: string;
  /**
   * Number of deliveries that the gateway refused in the last hour. `lastRefused` is the newest refused delivery that
   * is still in memory, even if it was refused before the last hour.
   */
  refusedInLastHour: number;
  lastRefused: RefusedDelivery | undefined;
}

/**
 * The deliveries that a gateway remembers, the newest last. `since` is the time since which it remembers refused ones,
 * and `recentSince` the time after which no other was forgotten.
 */
export interface GatewayDeliveries {
  since: number;
  recentSince: number | undefined;
  refused: RefusedDelivery[];
  recent: RecentDelivery[];
}

const askMs = 2000;
/** The text of a request for deliveries. A request without a text asks for the facts. */
const forDeliveries = 'deliveries';

/** Answers requests for the facts and the deliveries of this gateway for as long as the connection is open. */
export function answerAsGateway(
  journal: Journal,
  facts: () => GatewayFacts,
  deliveries: () => GatewayDeliveries,
): void {
  journal.connection.subscribe(gatewaySubject(journal.node), {
    callback: (error, message) => {
      if (error) return;
      const asksForDeliveries = Buffer.from(message.data).toString() === forDeliveries;
      message.respond(packMessage(asksForDeliveries ? deliveries() : facts()));
    },
  });
}

/** Asks the gateway for the deliveries that it remembers. Returns undefined if the gateway does not answer in time. */
export async function askDeliveries(journal: Journal): Promise<GatewayDeliveries | undefined> {
  const reply = await journal.connection
    .request(gatewaySubject(journal.node), Buffer.from(forDeliveries), { timeout: askMs })
    .catch(() => undefined);
  return reply && unpackMessage<GatewayDeliveries>(reply.data);
}

/** Asks the gateway for its facts. Returns undefined if the gateway does not answer in time. */
export async function askGateway(journal: Journal): Promise<GatewayFacts | undefined> {
  const reply = await journal.connection
    .request(gatewaySubject(journal.node), undefined, { timeout: askMs })
    .catch(() => undefined);
  return reply && unpackMessage<GatewayFacts>(reply.data);
}
