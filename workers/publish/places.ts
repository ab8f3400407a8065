/**
 * How many publications are under way at once: few at a receiver and in a channel, so that one that hangs takes no place from
 * the others. One place is also held by the channel of a repository, where publications go in order.
 */

/** Deliveries at once; a channel's are of different receivers, or at least of different repositories. */
const mostAtReceiver = 2;
const mostInChannel = 6;

/** Where a publication goes. */
export interface Destination {
  repoId: string;
  channel: string;
  receiver: string;
}

export class Places {
  private readonly taken = new Map<string, number>();

  /** Takes the places of a publication; false when one of them is not free. */
  take(destination: Destination): boolean {
    const places = placesOf(destination);
    if (places.some(([place, most]) => (this.taken.get(place) ?? 0) >= most)) return false;
    for (const [place] of places) this.taken.set(place, (this.taken.get(place) ?? 0) + 1);
    return true;
  }

  free(destination: Destination): void {
    for (const [place] of placesOf(destination)) {
      const left = (this.taken.get(place) ?? 0) - 1;
      if (left > 0) this.taken.set(place, left);
      else this.taken.delete(place);
    }
  }
}

function placesOf({ repoId, channel, receiver }: Destination): [place: string, most: number][] {
  return [
    [`repository ${repoId} ${channel}`, 1],
    [`receiver ${receiver}`, mostAtReceiver],
    [`channel ${channel}`, mostInChannel],
  ];
}
