/** The secret of a webhook: the one of the settings, or a new one, which is shown once. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Copy } from '../../parts/copy.tsx';
import { ErrorBox } from '../../parts/feedback.tsx';
import { Needs } from '../../parts/scopes.tsx';
import { Time } from '../../parts/time.tsx';
import { useAttempt } from '../../state/attempt.ts';
import { useLoad } from '../../state/load.ts';
import { api, isInstanceKey, mayUse } from '../../state/session.ts';
import { type Host, hostName } from '../../text/host-access.ts';

/** Number of earlier secrets that are named. */
const maxNamed = 3;

/** @param host the host that the secret is for; undefined if the key may not see the hosts */
export function Secret({ host }: { host: Host | undefined }): JSX.Element {
  const isInstance = isInstanceKey();
  const [made, setMade] = useState<string | undefined>(undefined);
  const [isBusy, setBusy] = useState(false);
  const { error, attempt } = useAttempt();
  const earlier = useLoad(
    'webhook secrets',
    (signal) => api().listWebhookSecrets({ limit: 100, sort: 'createdAt', order: 'desc' }, { signal }),
    [mayUse('webhooks:read') || null],
  );
  const make = async (): Promise<void> => {
    setBusy(true);
    const name = `Webhook${host ? ` of ${hostName(host.origin)}` : ''}, made in the dashboard`;
    await attempt(async () => {
      const { secret } = await api().createWebhookSecret({ name, ...(host && { host: host.origin }) });
      setMade(secret);
      earlier.reload();
    });
    setBusy(false);
  };
  const hasFile = isInstance && (host?.isDefault ?? true);
  const own = (earlier.data?.webhookSecrets ?? []).filter((each) => !host || each.host === host.origin);
  return (
    <div class="secret">
      {hasFile && (
        <p>
          The content of the file <code>webhook-secret</code> in the data directory, or of{' '}
          <code>TIDINGS_WEBHOOK_SECRETS</code>
          {mayUse('webhooks:write') ? ', or a new one:' : '.'}
        </p>
      )}
      {made !== undefined && (
        <div class="box" role="status">
          <div>
            <p>
              Copy the secret now. It cannot be shown again, not even after a reload of this page. The service accepts
              it from now on.
            </p>
            <Copy text={made} label="the secret" />
          </div>
        </div>
      )}
      {mayUse('webhooks:write') ? (
        <p>
          <button type="button" disabled={isBusy} onClick={() => void make()}>
            {isBusy ? 'Making…' : made === undefined ? 'Make a secret' : 'Make another secret'}
          </button>{' '}
          <span class="faint">{isInstance ? 'for all repositories of this host' : 'for your organization'}</span>
        </p>
      ) : (
        <Needs scopes={['webhooks:write']} to="make a secret here" />
      )}
      {error && <ErrorBox error={error} />}
      {made === undefined && own.length > 0 && (
        <p class="faint">
          Made before:{' '}
          {own.slice(0, maxNamed).map(({ id, name, createdAt }, i) => (
            <span key={id}>
              {i > 0 && '; '}
              {name || 'without a name'} (<Time at={createdAt} />)
            </span>
          ))}
          {own.length > maxNamed && ` and ${own.length - maxNamed} more`}. {own.length === 1 ? 'It works' : 'They work'}{' '}
          too.
        </p>
      )}
    </div>
  );
}
