/** The first screen: everything that waits for a person. */
import { signal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { ForbiddenError, type Publication } from '../../sdk/index.ts';
import { DraftName } from '../parts/draft-name.tsx';
import { Empty, Pill, Shown } from '../parts/feedback.tsx';
import { PublicationPill } from '../parts/publication-pill.tsx';
import { Screen } from '../parts/screen.tsx';
import { Time } from '../parts/time.tsx';
import { type Active, readActivity } from '../state/activity.ts';
import { changes } from '../state/live.ts';
import { useLoad } from '../state/load.ts';
import { api } from '../state/session.ts';
import { channelWords, count, outdatedReasons } from '../text/words.ts';
import { FirstRun } from './connect.tsx';

const maxShown = 20;
const guideName = 'tidings-first-run';
/** Whether the steps to connect a repository stay here. They do until the person closes them or the tab. */
const isGuideOpen = signal(sessionStorage.getItem(guideName) !== null);

function openGuide(isOpen: boolean): void {
  isGuideOpen.value = isOpen;
  if (isOpen) sessionStorage.setItem(guideName, 'open');
  else sessionStorage.removeItem(guideName);
}

/** Number of repositories whose failed publications are read, since each needs a request. */
const maxAsked = 10;
/** Number of changes after which the failed publications are read again. */
const failedEvery = 6;

async function readInbox(signal: AbortSignal) {
  const [activity, outdated, refused] = await Promise.all([
    ifAllowed(readActivity({ offset: 0, limit: 100 }, signal)),
    ifAllowed(api().listDrafts({ outdated: 'true', limit: maxShown }, { signal })),
    ifAllowed(api().listDeliveries({ outcome: 'refused', limit: 5 }, { signal })),
  ]);
  return {
    repos: activity?.repos ?? [],
    outdated: outdated?.drafts ?? [],
    refused: refused?.deliveries ?? [],
  };
}

interface Failure {
  repoId: string;
  publication: Publication;
}

/** Reads the failed publications of the repositories that had events last. The service lists them by repository. */
async function readFailed(repos: readonly Active[], signal: AbortSignal): Promise<Failure[]> {
  const last = repos.toSorted((a, b) => (b.lastEventAt ?? '').localeCompare(a.lastEventAt ?? ''));
  const found = await Promise.all(
    last.slice(0, maxAsked).map(async ({ id: repoId }) => {
      const page = await ifAllowed(api().listPublications({ repoId, status: 'failed', limit: 5 }, { signal }));
      return (page?.publications ?? []).map((publication) => ({ repoId, publication }));
    }),
  );
  return found.flat();
}

/** Leaves out the parts of the inbox that the key may not see. */
async function ifAllowed<T>(part: Promise<T>): Promise<T | undefined> {
  try {
    return await part;
  } catch (error) {
    if (error instanceof ForbiddenError) return undefined;
    throw error;
  }
}

export function Inbox(): JSX.Element {
  const loaded = useLoad('inbox', readInbox, [], true);
  const ids = loaded.data?.repos.map(({ id }) => id).join(' ');
  const failures = useLoad('failed publications', (signal) => readFailed(loaded.data?.repos ?? [], signal), [ids]);
  const failed = failures.data ?? [];
  const isEmpty = loaded.data?.repos.length === 0;
  useEffect(() => {
    if (isEmpty) openGuide(true);
  }, [isEmpty]);
  const isGuided = isEmpty || isGuideOpen.value;
  const change = changes.value;
  useEffect(() => {
    if (change % failedEvery === 0) failures.reload();
  }, [change, failures.reload]);
  return (
    <Screen title="Inbox">
      <Shown of={loaded}>
        {({ repos, outdated, refused }) => {
          const waiting = repos.filter(({ unreleased }) => unreleased && unreleased.changes > 0);
          const isClear = waiting.length + failed.length + outdated.length + refused.length === 0;
          return (
            <>
              {isGuided && <Guide isEmpty={isEmpty} />}
              {!isGuided && isClear && <Clear repos={repos} />}
              <Group title="Unreleased changes" shown={waiting.length}>
                {waiting.map((repository) => (
                  <Waiting key={repository.id} repository={repository} />
                ))}
              </Group>
              <Group title="Failed publications" shown={failed.length}>
                {failed.map(({ repoId, publication }) => (
                  <li key={publication.id}>
                    <Link href={`/app/publications/${repoId}?status=failed`}>
                      <DraftName draftId={publication.draftId} /> to {channelWords[publication.channel].name}
                    </Link>
                    <PublicationPill publication={publication} />
                    <span class="faint">{publication.error}</span>
                  </li>
                ))}
              </Group>
              <Group title="Outdated drafts" shown={outdated.length}>
                {outdated.map((draft) => (
                  <li key={draft.id}>
                    <Link href={`/app/drafts/${draft.id}`}>
                      <DraftName draftId={draft.id} />
                    </Link>
                    <span class="faint">{outdatedReasons(draft.outdatedBecause)}</span>
                  </li>
                ))}
              </Group>
              {/* The guide shows them with more advice. */}
              <Group title="Refused deliveries" shown={isGuided ? 0 : refused.length}>
                {refused.map(({ id, receivedAt, message, remedy, hostKind, event }) => (
                  <li key={id}>
                    <span>
                      {hostKind ?? 'A host'} sent {event ?? 'a delivery'} <Time at={receivedAt} />
                    </span>
                    <Pill tone="bad">refused</Pill>
                    <span class="faint wide-line">
                      {sentence(message ?? '')} {sentence(remedy ?? '')}
                    </span>
                  </li>
                ))}
              </Group>
            </>
          );
        }}
      </Shown>
    </Screen>
  );
}

function Guide({ isEmpty }: { isEmpty: boolean }): JSX.Element {
  return (
    <section class="card guide" aria-labelledby="guide">
      <header>
        <h2 id="guide">Connect a repository</h2>
        {!isEmpty && (
          <button type="button" class="small" onClick={() => openGuide(false)}>
            Close these steps
          </button>
        )}
      </header>
      <FirstRun heading="h3" />
    </section>
  );
}

function Clear({ repos }: { repos: readonly Active[] }): JSX.Element {
  const last = repos
    .flatMap(({ lastEventAt }) => lastEventAt ?? [])
    .toSorted()
    .at(-1);
  return (
    <Empty title="Nothing waits.">
      {last !== undefined && (
        <p>
          Last event <Time at={last} />.
        </p>
      )}
    </Empty>
  );
}

function Group({
  title,
  shown,
  children,
}: {
  title: string;
  shown: number;
  children: ComponentChildren;
}): JSX.Element | null {
  if (shown === 0) return null;
  return (
    <section class="card inbox-group" aria-label={title}>
      <h2>
        {title} <span class="number">{shown}</span>
      </h2>
      <ul>{children}</ul>
    </section>
  );
}

function Waiting({ repository }: { repository: Active }): JSX.Element {
  const { id, fullName, unreleased, lastTag } = repository;
  const changes = unreleased?.changes ?? 0;
  const unlabelled = unreleased?.unlabelled ?? 0;
  return (
    <li>
      <Link href={`/app/repositories/${id}`}>{fullName}</Link>
      <span>
        {count(changes, 'change')} {lastTag ? `since ${lastTag.name}` : 'so far'}
      </span>
      {unlabelled > 0 && <Pill tone="warn">{unlabelled} unlabelled</Pill>}
    </li>
  );
}

/** Writes a text of the service as a sentence. */
function sentence(text: string): string {
  return text === '' ? '' : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
