/** The source-code hosts of the settings, and whether the service can use them. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Operations } from '../../../sdk/index.ts';
import { ErrorBox, Pill, Shown } from '../../parts/feedback.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { useAttempt } from '../../state/attempt.ts';
import { useLoad } from '../../state/load.ts';
import { api } from '../../state/session.ts';

type Host = Operations['listHosts']['reply']['hosts'][number];
type Check = NonNullable<Host['lastCheck']>;

const states: Readonly<Record<Check['state'], string>> = {
  answers: 'answers',
  other_kind: 'is another kind of host than the settings say',
  not_a_host: 'is not a source-code host',
  unreachable: 'does not answer',
};

export function Hosts(): JSX.Element {
  const loaded = useLoad('hosts', (signal) => api().listHosts({}, { signal }), []);
  const { error, attempt, forget } = useAttempt();
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
        {({ hosts }) => (
          <Table columns={['Host', 'Credentials', 'Last check']} hasActions>
            {hosts.map(({ origin, kind, credentials, lastCheck }) => (
              <tr key={origin}>
                <th scope="row">
                  {origin} <span class="faint">{kind === 'github' ? 'GitHub' : 'Gitea or Forgejo'}</span>
                </th>
                <td>{credentials.length === 0 ? <span class="faint">none</span> : credentials.join(', ')}</td>
                <td>{lastCheck ? <Result of={lastCheck} /> : <span class="faint">not checked yet</span>}</td>
                <td class="row-actions">
                  <button
                    type="button"
                    class="small"
                    disabled={busy !== undefined}
                    aria-label={`Check ${origin}`}
                    onClick={() => void check(origin)}
                  >
                    {busy === origin ? 'Checking…' : 'Check'}
                  </button>
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Shown>
    </section>
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
