/** Lists publications, of all repositories or of one: where each is, its state, and what can be done about it. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import type { Publication } from '../../sdk/index.ts';
import { Filter, useFilter } from '../parts/choice.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { DraftName } from '../parts/draft-name.tsx';
import { Facts } from '../parts/facts.tsx';
import { Empty, ErrorBox, Shown } from '../parts/feedback.tsx';
import { NoRepository } from '../parts/no-repository.tsx';
import { OutcomeQuestion } from '../parts/outcome-question.tsx';
import { PublicationPill } from '../parts/publication-pill.tsx';
import { RepositoryFilter } from '../parts/repository-filter.tsx';
import { Allowed, Needs } from '../parts/scopes.tsx';
import { Screen } from '../parts/screen.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { useAttempt } from '../state/attempt.ts';
import { noteChange } from '../state/live.ts';
import { useLoad } from '../state/load.ts';
import { openRepository, repositories } from '../state/repositories.ts';
import { api, mayUse } from '../state/session.ts';
import { showToast } from '../state/toasts.ts';
import { channelWords, count, outdatedReasons } from '../text/words.ts';

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
  const current = opened && (loaded.data?.publications.find(({ id }) => id === opened.id) ?? opened);
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
      {current && <Details publication={current} onClose={() => setOpened(undefined)} />}
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

function Details({ publication, onClose }: { publication: Publication; onClose: () => void }): JSX.Element {
  const { id, channel, status, url, error, attempts, nextAttemptAt, outcomeUnknown, outdated, counts } = publication;
  const { error: fault, attempt } = useAttempt();
  const [isSure, setSure] = useState(false);
  const [, navigate] = useLocation();
  const run = async (what: () => Promise<unknown>, done: string): Promise<void> => {
    if (!(await attempt(what))) return;
    noteChange();
    showToast(done);
    onClose();
  };
  const resend = (): void =>
    void run(() => api().resendPublication({ publicationId: id }), 'The notes are sent again.');
  const isOpen = status === 'pending' || status === 'processing';
  const mayWrite = mayUse('publish:write');
  return (
    <Dialog title={channelWords[channel].name} size="side" onClose={onClose}>
      <p class="outcome">
        <PublicationPill publication={publication} />
        {url !== null && (
          <a href={url} target="_blank" rel="noreferrer">
            Open
          </a>
        )}
        <button type="button" class="link" onClick={() => navigate(`/app/drafts/${publication.draftId}`)}>
          Draft
        </button>
      </p>
      {outcomeUnknown && mayWrite && <OutcomeQuestion publication={publication} place={url} onSend={resend} />}
      {error !== null && <p class="box bad">{error}</p>}
      {outdated && <p class="box warn">Outdated: {outdatedReasons(publication.outdatedBecause)}.</p>}
      {nextAttemptAt !== null && (
        <p>
          Next attempt <Time at={nextAttemptAt} isAhead />
        </p>
      )}
      {Object.keys(counts).length > 0 && <Facts of={Object.entries(counts)} />}
      <h3>{count(attempts.length, 'attempt')}</h3>
      <ol class="attempts">
        {attempts.map(({ at, endedAt, error: why }) => (
          <li key={at}>
            <Time at={at} />{' '}
            <span class={why === null ? 'faint' : 'bad-text'}>
              {why ?? (endedAt === null ? 'under way' : 'delivered')}
            </span>
          </li>
        ))}
      </ol>
      {fault && <ErrorBox error={fault} />}
      <Needs scopes={['publish:write']} to="send these notes again or take them down" />
      <footer class="dialog-actions">
        {status === 'completed' &&
          mayWrite &&
          (isSure ? (
            <button
              type="button"
              class="danger"
              onClick={() =>
                void run(() => api().deletePublication({ publicationId: id }), 'The notes are taken down.')
              }
            >
              Yes, take it down
            </button>
          ) : (
            <button type="button" onClick={() => setSure(true)}>
              Take down
            </button>
          ))}
        {!isOpen && mayWrite && (
          <button type="button" class="primary" onClick={resend}>
            Send again
          </button>
        )}
      </footer>
    </Dialog>
  );
}
