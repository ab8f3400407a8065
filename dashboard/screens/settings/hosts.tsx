/** The source-code hosts of the settings, and whether the service can use them. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { ErrorBox, Pill, Shown } from '../../parts/feedback.tsx';
import { GithubApp } from '../../parts/github-app.tsx';
import { Question } from '../../parts/question.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { useAttempt } from '../../state/attempt.ts';
import { useLoad } from '../../state/load.ts';
import { api, mayUse } from '../../state/session.ts';
import { type Host, kindNames, type UnusedApp } from '../../text/host-access.ts';

type Check = NonNullable<Host['lastCheck']>;

const states: Readonly<Record<Check['state'], string>> = {
  answers: 'answers',
  other_kind: 'is another kind of host than the settings say',
  not_a_host: 'is not a source-code host',
  unreachable: 'does not answer',
};

const reasons: Readonly<Record<UnusedApp['reason'], string>> = {
  other_app: 'the settings have another app for this host',
  other_kind: 'the settings say that this host is not GitHub',
  unknown_host: 'the settings do not have this host',
};

/** An app that can be removed. */
interface Removable {
  origin: string;
  name: string | null;
  url: string | null;
  isUsed: boolean;
}

export function Hosts(): JSX.Element {
  const loaded = useLoad('hosts', (signal) => api().listHosts({}, { signal }), []);
  const { error, attempt, forget } = useAttempt();
  const [removing, setRemoving] = useState<Removable | undefined>(undefined);
  const [busy, setBusy] = useState<string | undefined>(undefined);
  const check = async (origin: string): Promise<void> => {
    setBusy(origin);
    forget();
    if (await attempt(() => api().checkHost({ origin }))) loaded.reload();
    setBusy(undefined);
  };
  return (
    <section class="settings-part" aria-label="Hosts">
      <header>
        <h2>Hosts</h2>
      </header>
      {error && <ErrorBox error={error} />}
      <Shown of={loaded} lines={3}>
        {({ hosts, unusedApps }) => (
          <>
            <Table columns={['Host', 'Credentials', 'Last check']} hasActions>
              {hosts.map((host) => {
                const { origin, kind, app, lastCheck } = host;
                return (
                  <tr key={origin}>
                    <th scope="row">
                      {origin} <span class="faint">{kindNames[kind]}</span>
                    </th>
                    <td>
                      <Credentials of={host} />
                    </td>
                    <td>{lastCheck ? <Result of={lastCheck} /> : <span class="faint">not checked yet</span>}</td>
                    <td class="row-actions">
                      {kind === 'github' && app === null && <GithubApp origin={origin} />}
                      {app?.source === 'stored' && mayUse('repos:write', 'webhooks:write') && (
                        <button
                          type="button"
                          class="small"
                          aria-label={`Remove app of ${origin}`}
                          onClick={() => setRemoving({ ...app, origin, isUsed: true })}
                        >
                          Remove app
                        </button>
                      )}
                      {mayUse('repos:write') && (
                        <button
                          type="button"
                          class="small"
                          disabled={busy !== undefined}
                          aria-label={`Check ${origin}`}
                          onClick={() => void check(origin)}
                        >
                          {busy === origin ? 'Checking…' : 'Check'}
                        </button>
                      )}
                    </td>
                  </tr>
                );
              })}
            </Table>
            {unusedApps.map((app) => (
              <Unused key={app.origin} of={app} onRemove={() => setRemoving({ ...app, isUsed: false })} />
            ))}
          </>
        )}
      </Shown>
      {removing && (
        <Question
          title={`Remove ${removing.name ?? 'the app'}?`}
          action="Remove app"
          keep="Keep"
          onConfirm={async () => {
            await api().removeHostApp({ origin: removing.origin });
            setRemoving(undefined);
            loaded.reload();
          }}
          onClose={() => setRemoving(undefined)}
        >
          <p>
            The service forgets the key and the webhook secret of the app at once.{' '}
            {removing.isUsed &&
              `It no longer reads from or writes to ${removing.origin} with the app, and refuses its deliveries.`}
          </p>
          <p>
            The app itself stays on the host.{' '}
            {removing.url !== null && (
              <>
                To delete it there too, open{' '}
                <a href={removing.url} target="_blank" rel="noreferrer">
                  its page
                </a>
                .
              </>
            )}
          </p>
        </Question>
      )}
    </section>
  );
}

/** A stored app that the settings keep from being used. */
function Unused({ of: { origin, name, reason }, onRemove }: { of: UnusedApp; onRemove: () => void }): JSX.Element {
  return (
    <div class="box warn unused-app">
      <div>
        <p>
          The app {name} of {origin} is stored but not used, because {reasons[reason]}. Deliveries signed with its
          webhook secret are refused.
        </p>
        {mayUse('repos:write', 'webhooks:write') && (
          <button type="button" class="small" aria-label={`Remove app ${name} of ${origin}`} onClick={onRemove}>
            Remove app
          </button>
        )}
      </div>
    </div>
  );
}

/** Names the credentials. An app that was created here has a link to its installation. */
function Credentials({ of: { credentials, app } }: { of: Host }): JSX.Element {
  if (credentials.length === 0)
    return (
      <span class="faint">
        <span class="phone-only">credentials: </span>none
      </span>
    );
  return (
    <>
      {credentials.includes('token') && <span class="host-app">token</span>}
      {app && (
        <span class="host-app">
          app {app.name ?? app.id}{' '}
          {app.installUrl !== null && (
            <a href={app.installUrl} target="_blank" rel="noreferrer">
              Install
            </a>
          )}{' '}
          {app.source === 'settings' && <span class="faint">of the settings</span>}
        </span>
      )}
    </>
  );
}

function Result({ of }: { of: Check }): JSX.Element {
  const { state, version, fault, mayRead, mayWrite, checkedAt } = of;
  const isGood = state === 'answers' && mayRead;
  return (
    <>
      <Pill tone={isGood ? 'good' : 'bad'}>{states[state]}</Pill>{' '}
      {state === 'answers' && (
        <span>
          {mayRead ? 'may read' : 'may not read'}
          {mayWrite !== null && (mayWrite ? ' and write' : ', may not write')}{' '}
        </span>
      )}
      <span class="faint">
        {version} {fault} <Time at={checkedAt} />
      </span>
    </>
  );
}
