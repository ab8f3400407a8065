/** The statistics: merges, the time until they are published, missing labels, and how much of the limit is used. */
import type { JSX } from 'preact';
import { useSearchParams } from 'wouter-preact';
import { late } from '../../parts/late.tsx';
import { RepositoryFilter } from '../../parts/repository-filter.tsx';
import { Allowed } from '../../parts/scopes.tsx';
import { Screen } from '../../parts/screen.tsx';
import { repositories, repositoryById } from '../../state/repositories.ts';
import { mayUse } from '../../state/session.ts';

const Charts = late(async () => (await import('../later.ts')).Charts);

export function Statistics(): JSX.Element {
  const [query, setQuery] = useSearchParams();
  const asked = query.get('repository') ?? '';
  const repoId = repositoryById.value.has(asked) ? asked : '';
  return (
    <Screen
      title="Statistics"
      actions={
        repositories.value &&
        mayUse('stats:read') && (
          <RepositoryFilter
            repoId={repoId}
            onChoose={(id) => setQuery(id === '' ? {} : { repository: id }, { replace: true })}
          />
        )
      }
    >
      <Allowed scopes={['stats:read']} to="see statistics">
        <Charts repoId={repoId} />
      </Allowed>
    </Screen>
  );
}
