/**
 * Limits concurrent publications per receiver and per channel, so that a receiver that hangs does not block other
 * receivers. Each channel of a repository has a single slot, because its publications are sent in order.
 */

/**
 * Maximum number of concurrent deliveries per receiver (`maxPerReceiver`) and per channel (`maxPerChannel`). The
 * maximum per channel is higher, because a channel has many receivers.
 */
const maxPerReceiver = 2;
const maxPerChannel = 6;

/** The destination of a publication. */
export interface Destination {
  repoId: string;
  channel: string;
  receiver: string;
}

export class Places {
  private readonly taken = new Map<string, number>();

  /** Takes all slots that a publication needs. If one of these slots is not free, takes no slot and returns false. */
  take(destination: Destination): boolean {
    const places = placesOf(destination);
    if (places.some(([place, max]) => (this.taken.get(place) ?? 0) >= max)) return false;
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

function placesOf({ repoId, channel, receiver }: Destination): [place: string, max: number][] {
  return [
    [`repository ${repoId} ${channel}`, 1],
    [`receiver ${receiver}`, maxPerReceiver],
    [`channel ${channel}`, maxPerChannel],
  ];
}
