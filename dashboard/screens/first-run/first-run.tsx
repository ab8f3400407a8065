/**
 * Leads from nothing to a repository with its history in three steps. The service knows how far each step is, so a page
 * that is loaded again shows the same. Choices of the person are in the address.
 */
import type { JSX } from 'preact';
import { useSearchParams } from 'wouter-preact';
import { ErrorBox, Skeleton } from '../../parts/feedback.tsx';
import { useLoad } from '../../state/load.ts';
import { repositories } from '../../state/repositories.ts';
import { api, base, isInstanceKey, mayUse } from '../../state/session.ts';
import { arrivalsOf } from '../../text/arrivals.ts';
import { type FormName, formNames } from '../../text/webhook-forms.ts';
import { FirstDelivery } from './first-delivery.tsx';
import { HostAccess } from './host-access.tsx';
import { Webhook } from './webhook.tsx';

/** Number of the newest deliveries that are read. */
const maxRead = 50;

/** @param heading level of the headings of the steps */
export function FirstRun({ heading }: { heading: 'h2' | 'h3' }): JSX.Element {
  const [query, setQuery] = useSearchParams();
  const maySeeHosts = isInstanceKey() && mayUse('repos:read');
  const hosts = useLoad('first run hosts', (signal) => api().listHosts({}, { signal }), [maySeeHosts || null]);
  const deliveries = useLoad(
    'first run deliveries',
    (signal) => api().listDeliveries({ limit: maxRead }, { signal }),
    [mayUse('webhooks:read') || null],
    true,
  );
  const choose = (name: string, value: string): void => {
    const next = new URLSearchParams(query);
    next.set(name, value);
    setQuery(next, { replace: true });
  };
  if (maySeeHosts && !hosts.data) {
    return hosts.error ? <ErrorBox error={hosts.error} again={hosts.reload} /> : <Skeleton />;
  }
  const known = hosts.data?.hosts ?? [];
  const host = known.find(({ origin }) => origin === query.get('host')) ?? known.find((each) => each.isDefault);
  const usual: FormName = host?.kind === 'gitea' ? 'Gitea' : 'GitHub';
  const asked = query.get('form') ?? '';
  const form = Object.hasOwn(formNames, asked) ? (asked as FormName) : usual;
  const arrivals = arrivalsOf(deliveries.data?.deliveries ?? [], repositories.value ?? []);
  return (
    <>
      <ol class="steps">
        <Webhook
          heading={heading}
          hosts={known}
          host={host}
          form={form}
          isReached={arrivals.accepted !== undefined || arrivals.reached !== undefined}
          onHost={(origin) => setQuery({ host: origin }, { replace: true })}
          onForm={(name) => choose('form', name)}
        />
        <FirstDelivery
          heading={heading}
          form={form}
          arrivals={arrivals}
          error={deliveries.error}
          onLook={deliveries.reload}
        />
        <HostAccess
          heading={heading}
          host={host}
          newestId={arrivals.accepted?.repoId ?? null}
          chosenId={query.get('repository')}
          onChecked={hosts.reload}
          onRepository={(id) => choose('repository', id)}
        />
      </ol>
      <p class="faint">
        <code>tidings doctor</code> on the machine of the service checks the connection too. The{' '}
        <a href={`${base}/docs/guide`}>guide</a> describes everything that the API can do.
      </p>
    </>
  );
}
