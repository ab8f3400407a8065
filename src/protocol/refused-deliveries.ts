/**
 * Deliveries that the webhook receiver refused: the closed set of reasons with texts for people, and the entry that the
 * gateway keeps in memory for each refusal. An entry holds nothing of the payload.
 */

/** Why a delivery is refused: the fault, and its remedy for the operator. */
export const refusalReasons = {
  wrong_signature: {
    because: 'its signature does not match any secret that was tried',
    remedy:
      'Give the webhook on the host the secret of TIDINGS_WEBHOOK_SECRETS (without that setting: the text of the file webhook-secret in the data directory), or the secret of its organization (tidings webhook-secrets list)',
  },
  no_signature: {
    because: 'it is not signed',
    remedy:
      'Give the webhook on the host a secret: that of TIDINGS_WEBHOOK_SECRETS, or without that setting the text of the file webhook-secret in the data directory',
  },
  form_body: {
    because: 'its body is a form (application/x-www-form-urlencoded)',
    remedy: 'Set the content type of the webhook on the host to application/json',
  },
  foreign: {
    because: 'the event of another owner was signed with the secret of an organization',
    remedy: 'Use the secret of the organization that owns the repository, or confirm its owner (tidings doctor)',
  },
  malformed: {
    because: 'its headers or its body are not those of a webhook',
    remedy: 'Read the reply in the list of recent deliveries on the host. The reply names each bad field',
  },
  too_large: { because: 'its body is too large', remedy: 'Raise TIDINGS_MAX_BODY_BYTES, whose maximum is 25 MiB' },
  limited: {
    because: 'a limit of its organization is reached',
    remedy: 'See the limits of its tier, or TIDINGS_LIMIT_CLAIMED_REPOSITORIES',
  },
  not_allowed: {
    because: 'its address is not on the list of TIDINGS_WEBHOOK_ALLOW',
    remedy: 'Add the address, or set TIDINGS_TRUSTED_PROXIES if it is the address of your proxy',
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
