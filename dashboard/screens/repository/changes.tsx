/** The changes since the newest release of a repository. */
import type { JSX } from 'preact';
import type { Unreleased } from '../../../sdk/index.ts';
import { ChangeList } from '../../parts/change-list.tsx';
import { Empty, Shown } from '../../parts/feedback.tsx';
import { Time } from '../../parts/time.tsx';
import { useLoad } from '../../state/load.ts';
import { api, base } from '../../state/session.ts';
import { count, countListed } from '../../text/words.ts';

export function Changes({ repoId }: { repoId: string }): JSX.Element {
  const loaded = useLoad('unreleased', (signal) => api().getUnreleased({ repoId, limit: 100 }, { signal }), [repoId], {
    events: ['repo.event'],
    repoId,
  });
  return <Shown of={loaded}>{(unreleased) => <List of={unreleased} />}</Shown>;
}

function List({ of }: { of: Unreleased }): JSX.Element {
  const { changes, total, since, compareUrl, diagnostics, suggestedVersion, branch } = of;
  if (changes.length === 0)
    return (
      <Empty title={since ? `Nothing was merged since ${since.tag}.` : 'Nothing was merged yet.'}>
        <p>
          Changes appear here when a pull request is merged
          {branch !== null && (
            <>
              {' '}
              into <code>{branch}</code>
            </>
          )}
          .
        </p>
      </Empty>
    );
  return (
    <>
      <p class="summary">
        {since ? (
          <>
            Since <strong>{since.tag}</strong> (<Time at={since.date} />)
          </>
        ) : (
          'Since the beginning'
        )}{' '}
        · {countListed(diagnostics)}
        {suggestedVersion.version !== null && (
          <>
            {' '}
            · suggested next version <strong>{suggestedVersion.version}</strong>
          </>
        )}
        {compareUrl !== undefined && (
          <>
            {' '}
            ·{' '}
            <a href={compareUrl} target="_blank" rel="noreferrer">
              compare on the host
            </a>
          </>
        )}
      </p>
      {diagnostics.unlabelled > 0 && (
        <p class="box warn">
          <span>
            {count(diagnostics.unlabelled, 'change')} of {diagnostics.changes}{' '}
            {diagnostics.unlabelled === 1
              ? 'has nothing that says what kind of change it is'
              : 'have nothing that says what kind of change they are'}
            . Give the pull request a label such as <code>bug</code> or <code>feature</code>, begin its title with{' '}
            <code>fix:</code>, or comment <code>/kind fix</code>.{' '}
            <a href={`${base}/docs/guide`}>All ways are in the guide</a>.
          </span>
        </p>
      )}
      <ChangeList changes={changes} total={total} compareUrl={compareUrl} />
    </>
  );
}
