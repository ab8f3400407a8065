/** The deliveries from hosts, and the deliveries to endpoints. */
import type { JSX } from 'preact';
import { Link } from 'wouter-preact';
import { late } from '../parts/late.tsx';
import { Allowed } from '../parts/scopes.tsx';
import { Screen } from '../parts/screen.tsx';
import { isInstanceKey, mayUse } from '../state/session.ts';

const DeadLetters = late(async () => (await import('./later.ts')).DeadLetters);
const EndpointLog = late(async () => (await import('./later.ts')).EndpointLog);
const FromHosts = late(async () => (await import('./later.ts')).FromHosts);

const tabs = { hosts: 'From hosts', endpoints: 'To endpoints' } as const;

/** @param endpointId the endpoint whose deliveries are shown */
export function Deliveries({ tab, endpointId }: { tab: string; endpointId: string | undefined }): JSX.Element {
  const address = '/app/deliveries';
  return (
    <Screen title="Deliveries">
      <nav class="tabs" aria-label="Deliveries">
        {Object.entries(tabs).map(([id, text]) => (
          <Link
            key={id}
            href={id === 'hosts' ? address : `${address}/${id}`}
            aria-current={tab === id ? 'page' : undefined}
          >
            {text}
          </Link>
        ))}
      </nav>
      {tab !== 'endpoints' && isInstanceKey() && mayUse('repos:read') && <DeadLetters />}
      <Allowed scopes={['webhooks:read']} to="see deliveries">
        {tab === 'endpoints' ? <EndpointLog endpointId={endpointId} /> : <FromHosts />}
      </Allowed>
    </Screen>
  );
}
