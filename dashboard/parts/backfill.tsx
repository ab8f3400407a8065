/** Fetches the older history of a repository from its host: starts it, shows the progress, and cancels it. */
import type { JSX } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import { useAttempt } from '../state/attempt.ts';
import { useLoad } from '../state/load.ts';
import { api, mayUse } from '../state/session.ts';
import { type Backfill, countedKinds, failureAdvice, progressLine } from '../text/backfill-words.ts';
import { count } from '../text/words.ts';
import { Facts } from './facts.tsx';
import { ErrorBox, Shown } from './feedback.tsx';
import { TextField } from './fields.tsx';
import { Icon } from './icons.tsx';
import { Question } from './question.tsx';
import { Needs } from './scopes.tsx';
import { Time } from './time.tsx';

/** A shorter pause is over before a person has read when it ends. */
const shortMs = 60_000;

/** Reads the newest backfill with its repository. Unlike the operation for backfills, this succeeds if there is none. */
async function readBackfill(repoId: string, signal: AbortSignal): Promise<Backfill | null> {
  return (await api().getRepository({ repoId, include: 'backfill' }, { signal })).backfill ?? null;
}

/**
 * @param isConnected whether the repository is connected; the history of others cannot be fetched
 * @param onState called with the state of the newest backfill, or with undefined while there is none
 */
export function BackfillPart({
  repoId,
  isConnected,
  onState,
}: {
  repoId: string;
  isConnected: boolean;
  onState?: (state: Backfill['state'] | undefined) => void;
}): JSX.Element {
  const loaded = useLoad('backfill', (signal) => readBackfill(repoId, signal), [repoId], {
    events: ['backfill.progress'],
    repoId,
  });
  const state = loaded.data?.state;
  useEffect(() => onState?.(state), [state, onState]);
  return (
    <Shown of={loaded} lines={3}>
      {(backfill) => {
        const isUnderWay = backfill?.state === 'running' || backfill?.state === 'waiting';
        return (
          <>
            {backfill ? <Progress of={backfill} /> : <p>The history from before the first delivery is not here yet.</p>}
            {!mayUse('repos:write') ? (
              <Needs scopes={['repos:write']} to={isUnderWay ? 'cancel this' : 'fetch history'} />
            ) : isUnderWay ? (
              <Cancel repoId={repoId} onCancelled={loaded.reload} />
            ) : isConnected ? (
              <Start repoId={repoId} isFirst={!backfill} onStarted={loaded.reload} />
            ) : (
              <p class="faint">The repository is not connected, so its history cannot be fetched.</p>
            )}
          </>
        );
      }}
    </Shown>
  );
}

function Progress({ of }: { of: Backfill }): JSX.Element {
  const { state, percent, since, counts, waits, error, startedAt, finishedAt } = of;
  const id = useId();
  const line = progressLine(of);
  const numbers = countedKinds(counts);
  return (
    <div class="backfill">
      <div class="backfill-head">
        <label for={id}>{line}</label>
        <span class="backfill-percent">{percent} %</span>
      </div>
      <progress id={id} class={state} max={100} value={percent} />
      <p class="hidden" role="status">
        {/* Each tenth is announced, not each percent. */}
        {line}, {percent - (percent % 10)} percent
      </p>
      <p class="faint">
        {since === null ? 'Everything' : `Everything since ${since}`}, started <Time at={startedAt} />
        {finishedAt !== null && (
          <>
            , ended <Time at={finishedAt} />
          </>
        )}
        {waits.count > 0 && `, waited ${count(waits.count, 'time')} for the host`}
      </p>
      {state === 'waiting' && waits.until !== null && (
        <p>
          The host asks for a pause. Fetching continues by itself{' '}
          {Date.parse(waits.until) - Date.now() > shortMs ? <Time at={waits.until} isAhead /> : 'in a moment'}.
        </p>
      )}
      {error !== undefined && (
        <div class={`box ${state === 'failed' ? 'bad' : 'warn'}`}>
          <Icon name="warning" />
          <div>
            <p>{error}</p>
            {state === 'failed' && <p>{failureAdvice(error)}</p>}
          </div>
        </div>
      )}
      {numbers.length > 0 && (
        <>
          <p class="faint">Read from the host this time:</p>
          <Facts of={numbers.map(([name, number]) => [name, number.toLocaleString('en')])} />
        </>
      )}
    </div>
  );
}

function Start({
  repoId,
  isFirst,
  onStarted,
}: {
  repoId: string;
  isFirst: boolean;
  onStarted: () => void;
}): JSX.Element {
  const [since, setSince] = useState('');
  const [isBusy, setBusy] = useState(false);
  const { error, attempt } = useAttempt();
  const today = new Date().toISOString().slice(0, 10);
  const start = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    await attempt(() => api().startBackfill({ repoId, ...(since !== '' && { since }) }));
    setBusy(false);
    onStarted();
  };
  return (
    <form class="backfill-start" onSubmit={start}>
      <TextField
        label="Since (empty: everything)"
        value={since}
        onChange={setSince}
        input={{ type: 'date', max: today }}
      />
      <button type="submit" class={isFirst ? 'primary' : ''} disabled={isBusy}>
        {isBusy ? 'Starting…' : isFirst ? 'Fetch history' : 'Fetch again'}
      </button>
      {error && <ErrorBox error={error} />}
    </form>
  );
}

function Cancel({ repoId, onCancelled }: { repoId: string; onCancelled: () => void }): JSX.Element {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <p>
        <button type="button" onClick={() => setAsking(true)}>
          Cancel
        </button>
      </p>
      {isAsking && (
        <Question
          title="Cancel fetching the history?"
          action="Cancel fetching"
          keep="Continue fetching"
          onConfirm={async () => {
            await api().cancelBackfill({ repoId });
            setAsking(false);
            onCancelled();
          }}
          onClose={() => setAsking(false)}
        >
          <p>Data that is already here stays. A later start does not fetch finished lists again.</p>
        </Question>
      )}
    </>
  );
}
