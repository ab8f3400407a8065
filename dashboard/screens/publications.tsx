/** Lists publications, of all repositories or of one: where each is, its state, and a dialog for what can be done. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import type { Publication } from '../../sdk/index.ts';
import { Filter, useFilter } from '../parts/choice.tsx';
import { DraftName } from '../parts/draft-name.tsx';
import { Empty, Shown } from '../parts/feedback.tsx';
import { late } from '../parts/late.tsx';
import { NoRepository } from '../parts/no-repository.tsx';
import { PublicationPill } from '../parts/publication-pill.tsx';
import { RepositoryFilter } from '../parts/repository-filter.tsx';
import { Allowed } from '../parts/scopes.tsx';
import { Screen } from '../parts/screen.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { useFilledPage } from '../state/filled-page.ts';
import { useLoad } from '../state/load.ts';
import { openRepository, repositories } from '../state/repositories.ts';
import { api } from '../state/session.ts';
import { channelWords } from '../text/words.ts';

const PublicationDialog = late(async () => (await import('./later.ts')).PublicationDialog);

const pageSize = 50;
const filters = { '': 'All', failed: 'Failed', processing: 'Under way', completed: 'Published' } as const;

/** @param repoId the repository; without it, the publications of all repositories are shown */
export function Publications({ repoId }: { repoId: string | undefined }): JSX.Element {
  const all = repositories.value;
  const [, navigate] = useLocation();
  useEffect(() => {
    if (repoId !== undefined) openRepository(repoId);
  }, [repoId]);
  return (
    <Screen
      title="Publications"
      actions={
        all && (
          <RepositoryFilter
            repoId={repoId ?? ''}
            onChoose={(id) => navigate(id === '' ? '/app/publications' : `/app/publications/${id}`)}
          />
        )
      }
    >
      <Allowed scopes={['drafts:read']} to="see publications">
        {all?.length === 0 ? <NoRepository /> : <List key={repoId} repoId={repoId} />}
      </Allowed>
    </Screen>
  );
}

function List({ repoId }: { repoId: string | undefined }): JSX.Element {
  const status = useFilter('status', filters);
  const [offset, setOffset] = useState(0);
  const [opened, setOpened] = useState<Publication | undefined>(undefined);
  const loaded = useLoad(
    'publications',
    (signal) =>
      api().listPublications(
        { ...(repoId !== undefined && { repoId }), limit: pageSize, offset, ...(status !== '' && { status }) },
        { signal },
      ),
    [repoId ?? '', status, offset],
    { events: ['publication.status', 'repository'], ...(repoId !== undefined && { repoId }) },
  );
  useFilledPage(loaded.data?.publications.length, offset, pageSize, setOffset);
  return (
    <>
      <Filter legend="State" name="status" texts={filters} onChange={() => setOffset(0)} />
      <Shown of={loaded}>
        {({ publications, total }) =>
          publications.length === 0 ? (
            <Empty title={status === '' ? 'Nothing is published yet.' : 'No publication is in this state.'}>
              {status === '' && <p>Open a draft and press Publish. It appears here with its state.</p>}
            </Empty>
          ) : (
            <Table
              columns={['Notes', 'Channel', 'State', 'Time']}
              hasActions
              pages={{ offset, shown: publications.length, total, size: pageSize, onMove: setOffset }}
            >
              {publications.map((publication) => (
                <Row key={publication.id} publication={publication} onOpen={() => setOpened(publication)} />
              ))}
            </Table>
          )
        }
      </Shown>
      {opened && <PublicationDialog of={opened} onClose={() => setOpened(undefined)} />}
    </>
  );
}

function Row({ publication, onOpen }: { publication: Publication; onOpen: () => void }): JSX.Element {
  const { draftId, channel, url, createdAt, publishedAt, draft } = publication;
  return (
    <tr>
      <th scope="row">
        <Link href={`/app/drafts/${draftId}`}>
          <DraftName draftId={draftId} />
        </Link>
      </th>
      <td>
        {channelWords[channel].name}
        {draft && <span class="faint"> as a draft</span>}
      </td>
      <td>
        <PublicationPill publication={publication} />
      </td>
      <td>
        <Time at={publishedAt ?? createdAt} />
      </td>
      <td class="row-actions">
        {url !== null && (
          <a href={url} target="_blank" rel="noreferrer">
            Open
          </a>
        )}
        <button type="button" class="small" onClick={onOpen}>
          Details
        </button>
      </td>
    </tr>
  );
}
