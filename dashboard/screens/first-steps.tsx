/** Shows how a repository comes to this service: the fields of a webhook for each kind of host. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Copy } from '../parts/copy.tsx';
import { Icon } from '../parts/icons.tsx';
import { Time } from '../parts/time.tsx';
import { useLoad } from '../state/load.ts';
import { api, base } from '../state/session.ts';

const hosts = {
  GitHub: {
    where: 'Settings → Webhooks → Add webhook, in a repository or in an organization',
    url: 'Payload URL',
    type: 'Content type',
    events:
      'Let me select individual events: pull requests, issues, issue comments, pull request reviews, pushes, branch or tag creation, releases',
  },
  Gitea: {
    where: 'Settings → Webhooks → Add webhook → Gitea, in a repository or in an organization',
    url: 'Target URL',
    type: 'POST content type',
    events: 'All events',
  },
  Forgejo: {
    where: 'Settings → Webhooks → Add webhook → Forgejo, in a repository or in an organization',
    url: 'Target URL',
    type: 'POST content type',
    events: 'All events',
  },
} as const;

type Host = keyof typeof hosts;

/** The steps before the first delivery. The screen changes by itself when one arrives. */
export function FirstSteps(): JSX.Element {
  const [host, setHost] = useState<Host>('GitHub');
  const { where, url, type, events } = hosts[host];
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(location.hostname);
  return (
    <section class="card first-steps" aria-labelledby="first-steps">
      <h2 id="first-steps">Connect a repository</h2>
      <p>Give your source-code host a webhook. Repositories appear here with their first delivery.</p>
      <fieldset class="choice">
        <legend class="hidden">Kind of host</legend>
        {(Object.keys(hosts) as Host[]).map((name) => (
          <label key={name}>
            <input type="radio" name="host" checked={host === name} onChange={() => setHost(name)} />
            <span>{name}</span>
          </label>
        ))}
      </fieldset>
      <p class="faint">{where}</p>
      <dl class="facts">
        <dt>{url}</dt>
        <dd>
          <Copy text={`${location.origin}${base}/api/webhooks/scm`} label="the webhook address" />
          {isLocal && (
            <p class="faint">
              Only this machine can reach this address. A host elsewhere needs the public address of the service
              (setting <code>TIDINGS_PUBLIC_URL</code>).
            </p>
          )}
        </dd>
        <dt>{type}</dt>
        <dd>
          <code>application/json</code> <span class="faint">(not the form type)</span>
        </dd>
        <dt>Secret</dt>
        <dd>
          the content of the file <code>webhook-secret</code> in the data directory, or of{' '}
          <code>TIDINGS_WEBHOOK_SECRETS</code>
        </dd>
        <dt>Events</dt>
        <dd>{events}</dd>
      </dl>
      <Waiting />
      <p class="faint">
        If a delivery arrives but nothing appears, <code>tidings doctor</code> on the machine of the service reports the
        cause. The <a href={`${base}/docs/guide`}>guide</a> describes everything that the API can do.
      </p>
    </section>
  );
}

/** Waits for the first delivery, and shows why a delivery was refused. */
function Waiting(): JSX.Element {
  const { data } = useLoad('first delivery', (signal) => api().listDeliveries({ limit: 1 }, { signal }), [], true);
  const newest = data?.deliveries[0];
  return (
    <div role="status">
      {newest?.outcome === 'refused' && (
        <div class="box bad">
          <Icon name="warning" />
          <div>
            <p>
              A delivery came <Time at={newest.receivedAt} /> and was refused: {newest.message}.
            </p>
            {newest.remedy !== null && <p class="faint">{newest.remedy}.</p>}
          </div>
        </div>
      )}
      <p class="waiting">
        <span class="pulse" /> {newest ? 'Waiting for a delivery of a repository' : 'Waiting for the first delivery'}
      </p>
    </div>
  );
}
