/**
 * Deliveries that the webhook receiver refused: the closed set of reasons with texts for people, and the entry that the
 * gateway keeps in memory for each refusal. An entry holds nothing of the payload.
 */

const setSecret =
  'On the host, set the secret of the webhook to the secret of this service. The service takes its secret from TIDINGS_WEBHOOK_SECRETS or, if that is unset, from the file webhook-secret of the data directory';

/** The reasons why a delivery is refused. Each reason has two texts: the fault, and its remedy for the operator. */
export const refusalReasons = {
  wrong_signature: {
    because: 'the signature of the delivery does not match any webhook secret that was tried',
    remedy: `${setSecret}. If the organization has its own secret, use that secret instead (tidings webhook-secrets list)`,
  },
  no_signature: {
    because: 'the delivery is not signed',
    remedy: setSecret,
  },
  form_body: {
    because: 'the body of the delivery is a form (application/x-www-form-urlencoded)',
    remedy: 'Set the content type of the webhook on the host to application/json',
  },
  foreign: {
    because:
      'the delivery was signed with the secret of one organization, but is about a repository or account of another owner',
    remedy:
      'Use the secret of the organization that owns the repository, or let the host confirm the owner (see tidings doctor)',
  },
  malformed: {
    because: 'the headers or the body of the delivery are malformed',
    remedy: 'Read the reply in the list of recent deliveries on the host. The reply names each bad field',
  },
  too_large: {
    because: 'the body of the delivery is too large',
    remedy: 'Raise TIDINGS_MAX_BODY_BYTES (at most 25 MiB)',
  },
  limited: {
    because: 'a limit of the organization is reached',
    remedy: 'Check the tier of the organization, and TIDINGS_LIMIT_CLAIMED_REPOSITORIES',
  },
  not_allowed: {
    because: 'the address of the sender is not in TIDINGS_WEBHOOK_ALLOW',
    remedy:
      'Add the address to TIDINGS_WEBHOOK_ALLOW. If the address belongs to your proxy, set TIDINGS_TRUSTED_PROXIES instead',
  },
} as const;

export type RefusalReason = keyof typeof refusalReasons;

/** Kinds of host that headers can name. */
export type NamedHostKind = 'github' | 'gitea' | 'forgejo';

/**
 * A refused delivery as the gateway remembers it. Strings that the sender chose are kept only if they are short plain
 * words.
 */
export interface RefusedDelivery {
  id: string;
  receivedAt: number;
  reason: RefusalReason;
  /** Status of the reply. */
  status: number;
  event: string | null;
  /** Id that the host gave the delivery. */
  deliveryId: string | null;
  /** Web address of the host whose secret matches the signature; null = no secret matches. */
  host: string | null;
  /** Kind of host that the delivery's headers name. Headers are not signed, so the kind is not proved. */
  hostKind: NamedHostKind | null;
  hookId: string | null;
  /** The organization whose own secret matches the signature; null = no such secret matches. */
  orgId: string | null;
  address: string | null;
  contentType: string | null;
  /**
   * Ids of the secrets that were tried; `settings` = the secrets of TIDINGS_WEBHOOK_SECRETS or of the data directory.
   */
  triedSecrets: readonly string[];
}

/** The refused deliveries that the gateway remembers. */
export interface RefusalMemory {
  /** Beginning of the remembered period, in milliseconds. */
  readonly since: number;
  /**
   * Returns refused deliveries, the newest last. If `orgId` is null, returns all of them. Otherwise returns only the
   * deliveries that were signed with the organization's own secret.
   */
  list(orgId: string | null): RefusedDelivery[];
  /** Returns the number of refusals in the last hour, including those that are not remembered. */
  inLastHour(): number;
}
