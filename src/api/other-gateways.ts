/**
 * Asks the other gateways of the service for what they have in memory, for replies that must be the same whichever
 * gateway makes them. A gateway that does not answer in time is left out.
 */
import type { Homes } from '../cluster/homes.ts';
import { type GatewayDeliveries, mergeDeliveries } from '../journal/gateway-facts.ts';
import type { Partition } from '../store/partition.ts';
import type { Caller } from './authenticate.ts';
import type { EventHub, OpenStreams } from './event-hub.ts';
import { holderOf } from './event-stream.ts';
import { type UnsavedUsage, type UsageMeter, unfoldedCalls } from './usage.ts';

/** How long a reply waits for what other gateways have in memory, in milliseconds. */
const answerMs = 1000;

/** Returns the calls of an organization in a month that other gateways have counted, but `directory` does not contain. */
export type UnsavedCalls = (directory: Partition, org: string, month: string) => number;

/** The memory of this gateway. */
interface OwnMemory {
  deliveries: () => GatewayDeliveries;
  events: EventHub;
  usage: UsageMeter;
}

interface StreamsQuestion {
  holder: string;
  orgId: string | null;
}

export class OtherGateways {
  private readonly homes: Homes;
  private readonly own: OwnMemory;

  constructor(homes: Homes, own: OwnMemory) {
    this.homes = homes;
    this.own = own;
    homes.serve('deliveries', () => own.deliveries());
    homes.serve('streams', ({ holder, orgId }: StreamsQuestion) => own.events.openStreams(holder, orgId));
    homes.serve('unsaved calls', () => own.usage.unsaved());
  }

  /** Returns the deliveries that all gateways remember, those of this one included. */
  async deliveries(): Promise<GatewayDeliveries> {
    const others = await this.homes.askOthers<GatewayDeliveries>('deliveries', null, answerMs);
    return mergeDeliveries([this.own.deliveries(), ...others]);
  }

  /** Counts the streams that the holder and the organization of a caller have open in other gateways. */
  async openStreams(caller: Caller): Promise<OpenStreams> {
    const question: StreamsQuestion = { holder: holderOf(caller), orgId: caller.key.orgId };
    const counts = await this.homes.askOthers<OpenStreams>('streams', question, answerMs);
    return {
      holder: counts.reduce((sum, { holder }) => sum + holder, 0),
      organization: counts.reduce((sum, { organization }) => sum + organization, 0),
    };
  }

  /** Reads the calls that other gateways have not saved. Read the directory afterwards, so that no call is missing. */
  async unsavedCalls(): Promise<UnsavedCalls> {
    const all = await this.homes.askOthers<UnsavedUsage>('unsaved calls', null, answerMs);
    return (directory, org, month) =>
      all.reduce((sum, unsaved) => sum + unfoldedCalls(unsaved, directory, org, month), 0);
  }
}
