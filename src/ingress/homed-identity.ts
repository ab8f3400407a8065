/**
 * Identifies repositories that the directory does not list yet in one of several gateways, the home of their name.
 * Otherwise two gateways could give ids of their own to a repository, if its first deliveries arrive at once. A single
 * gateway identifies directly.
 */
import { type Homes, storedMs } from '../cluster/homes.ts';
import { directoryName } from '../foundation/partition-names.ts';
import type { Minimised } from '../intake/events.ts';
import type { EventRepository } from '../protocol/repository.ts';
import type { CurrentState } from '../store/readers.ts';
import type { Identities } from './identity.ts';

/** Events, and whether the directory lists their repository. */
export type Identified = Minimised & { isListed: boolean };

/** A repository, and the events that name it by a former name. */
interface Question extends Minimised {
  signedBy: string | null;
  now: number;
}

type Answer = Pick<Identified, 'repository' | 'isListed'>;

export class HomedIdentities {
  private readonly homes: Homes;
  private readonly resolveAtHome: (key: string, question: Question) => Answer | Promise<Answer>;

  constructor(identities: Identities, homes: Homes, readers: CurrentState) {
    this.homes = homes;
    const resolve = ({ signedBy, now, ...reported }: Question): Answer => {
      const directory = readers.current(directoryName);
      const { repository, isListed } = identities.resolve(directory, reported, signedBy, now);
      if (!isListed) identities.remember(repository, signedBy, now);
      return { repository, isListed };
    };
    this.resolveAtHome = homes.at('identity', resolve, storedMs);
  }

  /** Whether this gateway identifies a repository. */
  isHere(repository: EventRepository): boolean {
    return this.homes.isHere(homeOf(repository));
  }

  /** Identifies the repository of events in its home, which remembers it until the directory lists it. */
  async identify(captured: Minimised, signedBy: string | null, now: number): Promise<Identified> {
    const { repository } = captured;
    const bodies = captured.bodies.filter(({ event }) => event === 'repository');
    return { ...captured, ...(await this.resolveAtHome(homeOf(repository), { repository, bodies, signedBy, now })) };
  }
}

/** Returns the key of the home of a repository. It contains the name, which every payload has. */
function homeOf({ origin, fullName }: EventRepository): string {
  return `${origin} ${fullName.toLowerCase()}`;
}
