/**
 * Asks the gateway, over the journal's server, what it keeps in memory. The server proves who answers, which the gateway's HTTP
 * port does not.
 */
import type { RefusedDelivery } from '../protocol/refused-deliveries.ts';
import { packMessage, unpackMessage } from './codec.ts';
import type { Journal } from './connect.ts';
import { gatewaySubject } from './subjects.ts';

/** What a gateway says of itself. */
export interface GatewayFacts {
  /** Random text of this process, which its probe page shows. */
  mark: string;
  /** Deliveries refused in the last hour, and the newest of them that is remembered. */
  refusedInLastHour: number;
  lastRefused: RefusedDelivery | undefined;
}

const askMs = 2000;

/** Answers questions for as long as the connection lives. */
export function answerAsGateway(journal: Journal, facts: () => GatewayFacts): void {
  journal.connection.subscribe(gatewaySubject, {
    callback: (error, message) => void (error ?? message.respond(packMessage(facts()))),
  });
}

/** Asks the gateway; undefined when it does not answer in time. */
export async function askGateway(journal: Journal): Promise<GatewayFacts | undefined> {
  const reply = await journal.connection.request(gatewaySubject, undefined, { timeout: askMs }).catch(() => undefined);
  return reply && unpackMessage<GatewayFacts>(reply.data);
}
