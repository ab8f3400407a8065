/** Finds out from the newest deliveries how far the connection of a host is, and what to do about a refused delivery. */
import type { Operations, Repository } from '../../sdk/index.ts';
import { type FormName, fieldNames } from './webhook-forms.ts';
import { hostNames } from './words.ts';

export type Delivery = Operations['listDeliveries']['item'];
type Seen = Pick<Delivery, 'outcome' | 'reason' | 'receivedAt' | 'repoId' | 'repository' | 'hookId'>;

/** Summary of the newest deliveries. A field is absent if no delivery of its kind has arrived. */
export interface Arrivals<T extends Seen = Delivery> {
  /** The newest delivery that was accepted, or the last event of a repository from before the start of the service. */
  accepted?: { repoId: string | null; repository: string | null; receivedAt: string };
  /** The newest delivery that shows that the host reaches the service, without a use for the notes. */
  reached?: T;
  /** The newest delivery of a repository that is not connected. */
  dropped?: T;
  /** The newest delivery that was refused or not stored, unless a later one of the same webhook was better. */
  faulty?: T;
}

/**
 * Reads the newest deliveries.
 * @param deliveries the newest first
 * @param repositories all repositories, whose last events are known also after a restart of the service
 */
export function arrivalsOf<T extends Seen>(
  deliveries: readonly T[],
  repositories: readonly Pick<Repository, 'id' | 'fullName' | 'lastEventAt'>[],
): Arrivals<T> {
  const good = deliveries.filter(({ outcome }) => !isFaulty(outcome) && outcome !== 'test');
  const faulty = deliveries.find(
    (each) =>
      isFaulty(each.outcome) &&
      !good.some((later) => later.receivedAt > each.receivedAt && isSameHook(later, each)) &&
      !deliveries.some((later) => later.receivedAt > each.receivedAt && isFaulty(later.outcome)),
  );
  const [last] = repositories
    .filter(({ lastEventAt }) => lastEventAt !== null)
    .toSorted((a, b) => (b.lastEventAt as string).localeCompare(a.lastEventAt as string));
  const accepted =
    good.find(({ outcome }) => outcome !== 'ignored') ??
    (last && { repoId: last.id, repository: last.fullName, receivedAt: last.lastEventAt as string });
  const reached = good.find(({ reason }) => reason === 'ping' || reason === 'not_captured');
  const dropped = good.find(({ reason }) => reason === 'not_connected');
  return {
    ...(accepted && { accepted }),
    ...(reached && { reached }),
    ...(dropped && { dropped }),
    ...(faulty && { faulty }),
  };
}

function isFaulty(outcome: Seen['outcome']): boolean {
  return outcome === 'refused' || outcome === 'failed';
}

/** Whether two deliveries may come from the same webhook. Gitea and Forgejo do not name it. */
function isSameHook(a: Seen, b: Seen): boolean {
  return a.hookId === null || b.hookId === null || a.hookId === b.hookId;
}

/** A fault in one sentence, and what to do about it. */
export interface Remedy {
  title: string;
  todo: string;
}

/**
 * Explains a delivery that was refused or not stored, and names the field of the form to mend.
 * @param form the form that the person fills in; the delivery itself may name another kind of host
 */
export function remedyOf(
  delivery: Pick<Delivery, 'outcome' | 'reason' | 'message' | 'remedy' | 'hostKind' | 'address'>,
  form: FormName,
): Remedy {
  const { reason, message, remedy, hostKind, address } = delivery;
  const host = (hostKind && hostNames[hostKind]) || form;
  const { again, ...field } = fieldNames[host];
  const known: Readonly<Record<string, Remedy>> = {
    wrong_signature: {
      title: 'A delivery came, its signature does not match. Is this the secret?',
      todo: `On ${host} open the webhook and paste the secret of step 1 into the field ${field.secret} again. Save the form. ${again}`,
    },
    no_signature: {
      title: 'A delivery came without a signature.',
      todo: `On ${host} the field ${field.secret} of the webhook is empty. Paste the secret of step 1 there, and save the form. ${again}`,
    },
    form_body: {
      title: 'A delivery came as a form, not as JSON.',
      todo: `On ${host} open the webhook and set the field ${field.type} to application/json. Save the form. ${again}`,
    },
    malformed: {
      title: 'A delivery came that this service cannot read.',
      todo:
        host === 'GitHub'
          ? `On GitHub open the webhook, then Recent Deliveries, and read the reply: it names each bad field. If another program forwards the deliveries, it must not change them. The field ${field.address} of the webhook may also name this service directly.`
          : `Webhooks of the kinds Slack, Discord and others do not work: on ${host} add one of the kind ${host}, with POST as its method. The reply at the end of the page of the webhook names each bad field.`,
    },
    foreign: {
      title: 'A delivery came with the secret of an organization that does not own the repository.',
      todo: `On ${host} paste the secret of the organization that owns the repository, or the secret of the whole host, into the field ${field.secret}. Save the form. ${again}`,
    },
    too_large: {
      title: 'A delivery came that is larger than this service accepts.',
      todo: `The form on ${host} is right. Raise the setting TIDINGS_MAX_BODY_BYTES (at most 25 MiB) and restart the service.`,
    },
    limited: {
      title: 'A delivery came, but a limit of the organization is reached.',
      todo: `The form on ${host} is right. Check the tier of the organization, and the setting TIDINGS_LIMIT_CLAIMED_REPOSITORIES.`,
    },
    not_allowed: {
      title: 'A delivery came from an address that is not allowed.',
      todo: `The form on ${host} is right. Add ${address ?? 'the address of the host'} to the setting TIDINGS_WEBHOOK_ALLOW. If it is the address of your proxy, add it to TIDINGS_TRUSTED_PROXIES instead. Then restart the service.`,
    },
  };
  const own = reason !== null && Object.hasOwn(known, reason) ? known[reason] : undefined;
  if (own) return own;
  if (delivery.outcome === 'failed') {
    return {
      title: 'A delivery came, but the service could not store it.',
      todo: `The form on ${host} is right. Check the disk and the log of the service. ${again}`,
    };
  }
  return { title: `A delivery came and was refused: ${message ?? 'no reason is known'}.`, todo: `${remedy ?? again}` };
}
