/**
 * Deliveries that the webhook receiver did not refuse: the closed set of outcomes, the reasons why a delivery is ignored,
 * and the entry that the gateway makes of each for a list. An entry holds nothing of the payload except the
 * repository's id and name.
 */

/**
 * What became of a delivery. `queued`: enqueued. `delayed`: enqueued, but the limit of its organization delays it.
 * `duplicate`: folded before. `ignored`: nothing to do. `test`: checked in test mode, and nothing was written. `failed`:
 * the service could not store it, and the host has to send it again.
 */
export const recentOutcomes = ['queued', 'delayed', 'duplicate', 'ignored', 'test', 'failed'] as const;
export type RecentOutcome = (typeof recentOutcomes)[number];

/** All outcomes of a delivery. */
export const deliveryOutcomes = [...recentOutcomes, 'refused'] as const;

/** The reasons why a delivery is ignored. Each has the text of the reply to the host, and its meaning for people. */
export const ignoredReasons = {
  ping: { reply: 'pong', because: 'the host tests the webhook', remedy: null },
  not_captured: {
    reply: 'the event is not captured',
    because: 'the notes need nothing of this event or action',
    remedy: null,
  },
  not_connected: {
    reply: 'the repository is not connected',
    because: 'the repository is not connected, so its events are dropped',
    remedy: 'Select the repository (tidings repos select), or set TIDINGS_AUTO_CONNECT for repositories that are new',
  },
} as const;
export type IgnoredReason = keyof typeof ignoredReasons;

/** A delivery that was not refused, as the gateway remembers it. Strings that the sender chose are short plain words. */
export interface RecentDelivery {
  id: string;
  receivedAt: number;
  outcome: RecentOutcome;
  /** Why the delivery is ignored; null for other outcomes. */
  reason: IgnoredReason | null;
  /** Status of the reply. */
  status: number;
  event: string | null;
  /** Id that the host gave the delivery. */
  deliveryId: string | null;
  /** Web address of the host whose secret signed the delivery. */
  host: string;
  hookId: string | null;
  /** The organization whose own secret signed the delivery; null = a secret of the whole host. */
  orgId: string | null;
  /** Id of the secret that signed the delivery. */
  secretId: string;
  /** The repository that the delivery is about; null if it was not read. */
  repository: { id: string; fullName: string } | null;
}

/** The deliveries that were not refused and that the gateway remembers. */
export interface RecentMemory {
  /** Time after which no delivery was forgotten; undefined if none was since the start. */
  readonly since: number | undefined;
  /** Returns the remembered deliveries, the newest last. */
  list(): RecentDelivery[];
}
