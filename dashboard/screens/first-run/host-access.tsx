/** The third step: whether the service may use the host, and the history from before the first delivery. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { BackfillPart } from '../../parts/backfill.tsx';
import { ErrorBox, Pill, type Tone } from '../../parts/feedback.tsx';
import { Needs } from '../../parts/scopes.tsx';
import { Time } from '../../parts/time.tsx';
import { useAttempt } from '../../state/attempt.ts';
import { repositories } from '../../state/repositories.ts';
import { api, mayUse } from '../../state/session.ts';
import type { Backfill } from '../../text/backfill-words.ts';
import { type Access, accessOf, type Host } from '../../text/host-access.ts';
import { Step } from './step.tsx';

const tones: Readonly<Record<Access['state'], Tone>> = { good: 'good', bad: 'bad', optional: 'warn', unknown: 'plain' };
const words: Readonly<Record<Access['state'], string>> = {
  good: 'yes',
  bad: 'no',
  optional: 'no, not needed for drafts',
  unknown: 'not known',
};

export function HostAccess({
  heading,
  host,
  newestId,
  chosenId,
  onChecked,
  onRepository,
}: {
  heading: 'h2' | 'h3';
  /** Undefined if the key may not see the hosts. */
  host: Host | undefined;
  /** The repository of the newest delivery; null if it is not known. */
  newestId: string | null;
  /** The repository that the person has chosen; null if none was chosen. */
  chosenId: string | null;
  onChecked: () => void;
  onRepository: (id: string) => void;
}): JSX.Element {
  const check = host?.lastCheck;
  const lines = host && check ? accessOf(host, check) : [];
  const [history, setHistory] = useState<Backfill['state'] | undefined>(undefined);
  const isBad = history === 'failed' || lines.some(({ state }) => state === 'bad');
  const state = isBad ? 'bad' : history === 'completed' ? 'good' : check?.mayRead ? 'half' : 'open';
  return (
    <Step number={3} title="Host access and history" state={state} heading={heading}>
      <p>
        Drafts of coming events need no access to the host. To fetch older history, and to publish releases and files,
        the service needs credentials.
      </p>
      {host ? (
        <Checking host={host} lines={lines} onChecked={onChecked} />
      ) : (
        <p class="faint">
          Only a key of the instance with the scope repos:read may see the hosts and their credentials.
        </p>
      )}
      <History
        heading={heading}
        newestId={newestId}
        chosenId={chosenId}
        onRepository={onRepository}
        onState={setHistory}
      />
    </Step>
  );
}

function Checking({
  host,
  lines,
  onChecked,
}: {
  host: Host;
  lines: readonly Access[];
  onChecked: () => void;
}): JSX.Element {
  const [isBusy, setBusy] = useState(false);
  const { error, attempt } = useAttempt();
  const check = async (): Promise<void> => {
    setBusy(true);
    if (await attempt(() => api().checkHost({ origin: host.origin }))) onChecked();
    setBusy(false);
  };
  return (
    <>
      {lines.length > 0 && (
        <ul class="access" aria-label={`Access to ${host.origin}`} aria-live="polite">
          {lines.map(({ name, state, says, todo }) => (
            <li key={name}>
              <span class="access-name">{name}</span>
              <Pill tone={tones[state]}>{words[state]}</Pill>
              <span>{says}</span>
              {todo !== undefined && <p class="wide-line">{todo}</p>}
            </li>
          ))}
        </ul>
      )}
      {mayUse('repos:write') ? (
        <p>
          <button type="button" disabled={isBusy} onClick={() => void check()}>
            {isBusy ? 'Checking…' : lines.length > 0 ? 'Check again' : 'Check access'}
          </button>{' '}
          <span class="faint">
            {host.origin}
            {host.lastCheck && (
              <>
                , checked <Time at={host.lastCheck.checkedAt} />
              </>
            )}
          </span>
        </p>
      ) : (
        <Needs scopes={['repos:write']} to="check the access" />
      )}
      {error && <ErrorBox error={error} />}
    </>
  );
}

function History({
  heading,
  newestId,
  chosenId,
  onRepository,
  onState,
}: {
  heading: 'h2' | 'h3';
  newestId: string | null;
  chosenId: string | null;
  onRepository: (id: string) => void;
  onState: (state: Backfill['state'] | undefined) => void;
}): JSX.Element {
  const Heading = heading === 'h2' ? 'h3' : 'h4';
  const known = repositories.value ?? [];
  const find = (id: string | null) => known.find((each) => each.id === id);
  const shown = find(chosenId) ?? find(newestId) ?? known[0];
  if (!mayUse('repos:read')) return <Needs scopes={['repos:read']} to="see the history of repositories" />;
  if (!shown) return <p class="faint">History can be fetched as soon as the first delivery has named a repository.</p>;
  return (
    <section class="step-history" aria-label="History">
      <Heading>History of {known.length === 1 ? shown.fullName : ''}</Heading>
      {known.length > 1 && (
        <select
          aria-label="Repository"
          value={shown.id}
          onChange={({ currentTarget }) => onRepository(currentTarget.value)}
        >
          {known.map(({ id, fullName }) => (
            <option key={id} value={id}>
              {fullName}
            </option>
          ))}
        </select>
      )}
      <BackfillPart key={shown.id} repoId={shown.id} isConnected={shown.state === 'connected'} onState={onState} />
    </section>
  );
}
