/** The screen of a repository: what is unreleased, and its releases. */
import type { JSX } from 'preact';
import { useCallback, useEffect, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { Range } from '../../../sdk/index.ts';
import { ErrorBox, Pill, Skeleton } from '../../parts/feedback.tsx';
import { late } from '../../parts/late.tsx';
import { Allowed } from '../../parts/scopes.tsx';
import { Screen } from '../../parts/screen.tsx';
import { Time } from '../../parts/time.tsx';
import { useShortcut } from '../../shell/keys.ts';
import { type Active, isCounting, readRepository } from '../../state/activity.ts';
import { useLoad } from '../../state/load.ts';
import { openRepository, repositoryById } from '../../state/repositories.ts';
import { mayUse } from '../../state/session.ts';
import { useSoon } from '../../state/soon.ts';
import { countListed } from '../../text/words.ts';
import { Changes } from './changes.tsx';
import { Releases } from './releases.tsx';

const NewNotes = late(async () => (await import('../later.ts')).NewNotes);
const Ranges = late(async () => (await import('../later.ts')).Ranges);
const Settings = late(async () => (await import('../later.ts')).RepositorySettings);
const History = late(async () => (await import('../later.ts')).History);

const tabs = {
  changes: 'Changes',
  releases: 'Releases',
  ranges: 'Ranges',
  settings: 'Settings',
  history: 'History',
} as const;

export function Repository({ repoId, tab }: { repoId: string; tab: string }): JSX.Element {
  /** The tag at the end of the notes, or the range, that the sheet begins with; undefined while the sheet is closed. */
  const [writing, setWriting] = useState<string | Range | undefined>(undefined);
  const loaded = useLoad(
    'repository',
    (signal) => readRepository(repoId, signal),
    [mayUse('repos:read') ? repoId : null],
    { events: ['repo.event'], repoId },
  );
  const { data, error, reload } = loaded;
  useSoon(data !== undefined && isCounting(data), reload, data);
  const mayWrite = mayUse('ranges:read', 'ranges:write', 'drafts:read', 'drafts:write');
  const write = useCallback(() => setWriting(''), []);
  useShortcut('n', mayWrite && data ? write : undefined);
  useEffect(() => {
    if (data) openRepository(repoId);
  }, [data, repoId]);
  const name = data?.fullName ?? repositoryById.value.get(repoId)?.fullName ?? 'Repository';
  const address = `/app/repositories/${repoId}`;
  return (
    <Screen
      title={name}
      group={repoId}
      below={data && <Facts repository={data} />}
      actions={
        data &&
        mayWrite && (
          <button type="button" class="primary" onClick={write}>
            New notes
          </button>
        )
      }
    >
      {error && <ErrorBox error={error} again={reload} />}
      <Allowed scopes={['repos:read']} to="see repositories">
        {!data && !error && <Skeleton />}
      </Allowed>
      {data && (
        <>
          <nav class="tabs" aria-label="Repository">
            {Object.entries(tabs).map(([id, text]) => (
              <Link
                key={id}
                href={id === 'changes' ? address : `${address}/${id}`}
                aria-current={tab === id ? 'page' : undefined}
              >
                {text}
              </Link>
            ))}
          </nav>
          {tab === 'releases' && <Releases repoId={repoId} onWrite={mayWrite ? setWriting : undefined} />}
          {tab === 'ranges' && (
            <Allowed scopes={['ranges:read']} to="see ranges">
              <Ranges repoId={repoId} onWrite={mayWrite ? setWriting : undefined} />
            </Allowed>
          )}
          {tab === 'settings' && <Settings repository={data} />}
          {tab === 'history' && <History repository={data} />}
          {!(tab in tabs && tab !== 'changes') && (
            <Allowed scopes={['ranges:read']} to="see unreleased changes">
              <Changes repoId={repoId} />
            </Allowed>
          )}
          {writing !== undefined && (
            <NewNotes repository={data} begin={writing} onClose={() => setWriting(undefined)} />
          )}
        </>
      )}
    </Screen>
  );
}

function Facts({ repository }: { repository: Active }): JSX.Element {
  const { lastTag, unreleased, lastEventAt, state, ownerConfirmed, ownerUnconfirmedReason } = repository;
  return (
    <p class="facts-line">
      {lastTag ? (
        <span>
          Last release <strong>{lastTag.name}</strong> <Time at={lastTag.date} />
        </span>
      ) : (
        unreleased && <span>No release yet</span>
      )}
      {unreleased && <span>{countListed(unreleased, 'unreleased change')}</span>}
      {lastEventAt && (
        <span>
          Last event <Time at={lastEventAt} />
        </span>
      )}
      {state !== 'connected' && <Pill tone="warn">not connected</Pill>}
      {!ownerConfirmed && (
        <Pill tone="warn" {...(ownerUnconfirmedReason !== null && { title: ownerUnconfirmedReason })}>
          owner not confirmed
        </Pill>
      )}
    </p>
  );
}
