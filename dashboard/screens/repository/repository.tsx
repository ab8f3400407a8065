/** The screen of a repository: what is unreleased, and its releases. */
import type { JSX } from 'preact';
import { useCallback, useEffect, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { Range } from '../../../sdk/index.ts';
import { ErrorBox, Pill, Skeleton } from '../../parts/feedback.tsx';
import { late } from '../../parts/late.tsx';
import { Screen } from '../../parts/screen.tsx';
import { Time } from '../../parts/time.tsx';
import { useShortcut } from '../../shell/keys.ts';
import { type Active, isCounted, readRepository } from '../../state/activity.ts';
import { useLoad } from '../../state/load.ts';
import { openRepository, repositoryById } from '../../state/repositories.ts';
import { useSoon } from '../../state/soon.ts';
import { countListed } from '../../text/words.ts';
import { NewNotes } from '../new-notes.tsx';
import { Changes } from './changes.tsx';
import { Releases } from './releases.tsx';

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
  const loaded = useLoad('repository', (signal) => readRepository(repoId, signal), [repoId], {
    events: ['repo.event'],
    repoId,
  });
  const { data, error, reload } = loaded;
  useSoon(data !== undefined && isCounted(data), reload, data);
  const write = useCallback(() => setWriting(''), []);
  useShortcut('n', data && write);
  useEffect(() => {
    if (data) openRepository(repoId);
  }, [data, repoId]);
  const name = data?.fullName ?? repositoryById.value.get(repoId)?.fullName ?? 'Repository';
  const address = `/app/repositories/${repoId}`;
  return (
    <Screen
      title={name}
      below={data && <Facts repository={data} />}
      actions={
        data && (
          <button type="button" class="primary" onClick={write}>
            New notes
          </button>
        )
      }
    >
      {error && <ErrorBox error={error} again={reload} />}
      {!data && !error && <Skeleton />}
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
          {tab === 'releases' && <Releases repoId={repoId} onWrite={setWriting} />}
          {tab === 'ranges' && <Ranges repoId={repoId} onWrite={setWriting} />}
          {tab === 'settings' && <Settings repository={data} />}
          {tab === 'history' && <History repository={data} />}
          {!(tab in tabs && tab !== 'changes') && <Changes repoId={repoId} />}
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
