/** The statistics: merges, the time until they are published, missing labels, and how much of the limit is used. */
import type { JSX } from 'preact';
import { useSearchParams } from 'wouter-preact';
import { Empty } from '../../parts/feedback.tsx';
import { late } from '../../parts/late.tsx';
import { RepositoryFilter } from '../../parts/repository-filter.tsx';
import { Screen } from '../../parts/screen.tsx';
import { repositoryById } from '../../state/repositories.ts';
import { mayUse } from '../../state/session.ts';

const Charts = late(async () => (await import('../later.ts')).Charts);

export function Statistics(): JSX.Element {
  const [query, setQuery] = useSearchParams();
  const asked = query.get('repository') ?? '';
  const repoId = repositoryById.value.has(asked) ? asked : '';
  const mayRead = mayUse('stats:read');
  return (
    <Screen
      title="Statistics"
      actions={
        mayRead && (
          <RepositoryFilter
            repoId={repoId}
            onChoose={(id) => setQuery(id === '' ? {} : { repository: id }, { replace: true })}
          />
        )
      }
    >
      {mayRead ? (
        <Charts repoId={repoId} />
      ) : (
        <Empty title="Your key may not read statistics.">
          <p>
            It lacks the scope <code>stats:read</code>.
          </p>
        </Empty>
      )}
    </Screen>
  );
}
