/**
 * Asks the gateways for facts that they keep in memory. The request is sent over the journal's server, because this
 * server authenticates a gateway. A reply from the HTTP port does not prove that a gateway sent the reply.
 */
import { createInbox } from 'nats';
import type { RecentDelivery } from '../protocol/recent-deliveries.ts';
import type { RefusedDelivery } from '../protocol/refused-deliveries.ts';
import { packMessage, unpackMessage } from './codec.ts';
import type { Journal } from './connect.ts';
import { inboxPrefixOf } from './roles.ts';
import { gatewaySubject } from './subjects.ts';

/** Facts that a gateway reports. */
export interface GatewayFacts {
  /**
   * Random texts that identify the processes of all gateways of the service, on all nodes. The probe page of a gateway
   * also shows its text.
   */
  marks: readonly string[];
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

/** An answer, with the number of gateways that answer the same request. */
interface Answer<T> {
  gateways: number;
  facts: T;
}

const askMs = 2000;
/** The text of a request for deliveries. A request without a text asks for the facts. */
const forDeliveries = 'deliveries';

/**
 * Answers requests for the facts and the deliveries of this gateway for as long as the connection is open.
 * @param gateways returns the number of live gateways of the node
 */
export function answerAsGateway(
  journal: Journal,
  gateways: () => number,
  facts: () => Promise<GatewayFacts>,
  deliveries: () => GatewayDeliveries,
): void {
  journal.connection.subscribe(gatewaySubject(journal.node), {
    callback: (error, message) => {
      if (error) return;
      const respond = (found: unknown): void => {
        message.respond(packMessage({ gateways: gateways(), facts: found } satisfies Answer<unknown>));
      };
      if (Buffer.from(message.data).toString() === forDeliveries) return respond(deliveries());
      // If the connection closes meanwhile, the asker waits in vain for a moment.
      void facts()
        .then(respond)
        .catch(() => {});
    },
  });
}

/** Asks the gateways for the deliveries that they remember. Returns undefined if none answers in time. */
export async function askDeliveries(journal: Journal): Promise<GatewayDeliveries | undefined> {
  const all = await askAll<GatewayDeliveries>(journal, forDeliveries);
  return all.length === 0 ? undefined : mergeDeliveries(all);
}

/**
 * Merges the deliveries of gateways. The result is complete only since the time since which every gateway remembers its
 * deliveries.
 */
export function mergeDeliveries(all: readonly GatewayDeliveries[]): GatewayDeliveries {
  const sinces = all.flatMap(({ recentSince }) => recentSince ?? []);
  const inOrder = <D extends { receivedAt: number }>(deliveries: D[]) =>
    deliveries.sort((a, b) => a.receivedAt - b.receivedAt);
  return {
    since: Math.max(...all.map(({ since }) => since)),
    recentSince: sinces.length === 0 ? undefined : Math.max(...sinces),
    refused: inOrder(all.flatMap(({ refused }) => refused)),
    recent: inOrder(all.flatMap(({ recent }) => recent)),
  };
}

/** Asks the gateways of this node for their facts. Returns undefined if none answers in time. */
export async function askGateways(journal: Journal): Promise<GatewayFacts | undefined> {
  const all = await askAll<GatewayFacts>(journal, '');
  if (all.length === 0) return undefined;
  const lasts = all.flatMap(({ lastRefused }) => lastRefused ?? []);
  return {
    marks: [...new Set(all.flatMap(({ marks }) => marks))],
    refusedInLastHour: all.reduce((sum, { refusedInLastHour }) => sum + refusedInLastHour, 0),
    lastRefused: lasts.sort((a, b) => a.receivedAt - b.receivedAt).at(-1),
  };
}

/** Sends a request to all gateways. Waits until as many have answered as there are, but not longer than `askMs`. */
function askAll<T>({ connection, node }: Journal, request: string): Promise<T[]> {
  return new Promise((resolve) => {
    const found: T[] = [];
    let gateways = 1;
    const inbox = createInbox(inboxPrefixOf('cli'));
    const end = (): void => {
      clearTimeout(timer);
      subscription.unsubscribe();
      resolve(found);
    };
    const subscription = connection.subscribe(inbox, {
      callback: (error, message) => {
        // The server answers with an empty message if no gateway is connected.
        if (error || message.data.length === 0) return end();
        const answer = unpackMessage<Answer<T>>(message.data);
        found.push(answer.facts);
        gateways = Math.max(gateways, answer.gateways);
        if (found.length >= gateways) end();
      },
    });
    const timer = setTimeout(end, askMs);
    connection.publish(gatewaySubject(node), Buffer.from(request), { reply: inbox });
  });
}
