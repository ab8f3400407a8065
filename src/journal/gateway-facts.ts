/**
 * Asks the gateway for facts that the gateway keeps in memory. The request is sent over the journal's server, because
 * this server authenticates the gateway. A reply from the HTTP port does not prove that the gateway sent the reply.
 */
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

const askMs = 2000;

/** Answers requests for the facts of this gateway for as long as the connection is open. */
export function answerAsGateway(journal: Journal, facts: () => GatewayFacts): void {
  journal.connection.subscribe(gatewaySubject, {
    callback: (error, message) => void (error ?? message.respond(packMessage(facts()))),
  });
}

/** Asks the gateway for its facts. Returns undefined if the gateway does not answer in time. */
export async function askGateway(journal: Journal): Promise<GatewayFacts | undefined> {
  const reply = await journal.connection.request(gatewaySubject, undefined, { timeout: askMs }).catch(() => undefined);
  return reply && unpackMessage<GatewayFacts>(reply.data);
}
