/** One delivery to an endpoint: its attempts, what the receiver answered, its content, and sending it again. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { WebhookDelivery } from '../../sdk/index.ts';
import { Dialog } from '../parts/dialog.tsx';
import { ErrorBox, Pill, type Tone } from '../parts/feedback.tsx';
import { Time } from '../parts/time.tsx';
import { useAttempt } from '../state/attempt.ts';
import { useLoad } from '../state/load.ts';
import { api, mayUse } from '../state/session.ts';
import { useSoon } from '../state/soon.ts';
import { count } from '../text/words.ts';

type Status = WebhookDelivery['status'];

/** Number of characters of a reply that are shown. */
const maxResponse = 500;
/** An attempt that is further away is not waited for. */
const nearMs = 15_000;

const states: Readonly<Record<Status, { tone: Tone; name: string }>> = {
  pending: { tone: 'busy', name: 'waiting' },
  delivered: { tone: 'good', name: 'delivered' },
  failed: { tone: 'bad', name: 'failed' },
  skipped: { tone: 'plain', name: 'skipped' },
};

/** Whether the next attempt of a delivery is due, so that its state changes soon. */
export function changesSoon({ status, nextAttemptAt }: WebhookDelivery): boolean {
  return status === 'pending' && (nextAttemptAt === null || Date.parse(nextAttemptAt) < Date.now() + nearMs);
}

export function DeliveryState({ of: { status, attempts } }: { of: WebhookDelivery }): JSX.Element {
  const { tone, name } = states[status];
  const isRetried = status === 'pending' && attempts.length > 0;
  return <Pill tone={isRetried ? 'warn' : tone}>{isRetried ? 'will be tried again' : name}</Pill>;
}

/**
 * @param of the delivery as it was read last; the dialog reads it again while it changes
 * @param onChanged called after each change, since the state of the endpoint and its list may have changed too
 */
export function DeliveryDialog({
  title,
  of,
  onChanged,
  onClose,
}: {
  title: string;
  of: WebhookDelivery;
  onChanged: () => void;
  onClose: () => void;
}): JSX.Element {
  const { endpointId, id: deliveryId } = of;
  const loaded = useLoad(
    'endpoint delivery',
    (signal) => api().getWebhookDelivery({ endpointId, deliveryId }, { signal }),
    [endpointId, deliveryId],
    true,
  );
  const delivery = loaded.data ?? of;
  const { status, attempts, attemptCount, nextAttemptAt, payload, event, eventId, createdAt } = delivery;
  const [isBusy, setBusy] = useState(false);
  const { error, attempt } = useAttempt();
  useSoon(changesSoon(delivery), loaded.reload, loaded.data);
  useEffect(onChanged, [status, attemptCount]);
  const resend = async (): Promise<void> => {
    setBusy(true);
    await attempt(() => api().resendWebhookDelivery({ endpointId, deliveryId }));
    loaded.reload();
    setBusy(false);
  };
  const newest = attempts.toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at));
  return (
    <Dialog title={title} size="side" onClose={onClose}>
      <p class="outcome" role="status">
        <DeliveryState of={delivery} /> <code>{event}</code> <Time at={createdAt} />
      </p>
      <p class="faint">
        {count(attemptCount, 'attempt')}
        {status === 'pending' && nextAttemptAt !== null && (
          <>
            , the next <Time at={nextAttemptAt} isAhead />
          </>
        )}
        {' · '}
        {eventId}
      </p>
      {(error ?? loaded.error) && <ErrorBox error={(error ?? loaded.error) as Error} />}
      {mayUse('webhooks:write') && (
        <p class="row-links resend">
          <button type="button" disabled={isBusy} onClick={() => void resend()}>
            {status === 'pending' ? 'Send now' : 'Send again'}
          </button>
          <span class="faint">The receiver gets the same id, so it can recognize a repeated delivery.</span>
        </p>
      )}
      <h3>Attempts</h3>
      {newest.length === 0 ? (
        <p class="faint">No attempt yet.</p>
      ) : (
        <ol class="attempts">
          {newest.map(({ at, ms, status: reply, error: fault, response }) => (
            <li key={at}>
              <p>
                <Pill tone={fault === null ? 'good' : 'bad'}>{reply ?? 'no reply'}</Pill> <Time at={at} />{' '}
                <span class="faint">{ms.toLocaleString('en')} ms</span>
              </p>
              {fault !== null && <p class="bad-text">{fault}</p>}
              {response !== null && response !== '' && (
                <>
                  <p class="faint">Beginning of the reply:</p>
                  <pre class="snippet">{response.slice(0, maxResponse)}</pre>
                </>
              )}
            </li>
          ))}
        </ol>
      )}
      <h3>Content</h3>
      <pre class="snippet">{JSON.stringify(payload, null, 2)}</pre>
    </Dialog>
  );
}
