/** The first screen: everything that waits for a person. */
import { signal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { Operations, Publication } from '../../sdk/index.ts';
import { DraftName, RangeName } from '../parts/draft-name.tsx';
import { Empty, Pill, Shown } from '../parts/feedback.tsx';
import { PublicationPill } from '../parts/publication-pill.tsx';
import { Needs } from '../parts/scopes.tsx';
import { Screen } from '../parts/screen.tsx';
import { Time } from '../parts/time.tsx';
import { type Active, isCounting, readActivity } from '../state/activity.ts';
import type { About } from '../state/live.ts';
import { type Loaded, useLoad } from '../state/load.ts';
import { type ListedDraft, noteHeads } from '../state/names.ts';
import { api, mayUse, type Scope } from '../state/session.ts';
import { useSoon } from '../state/soon.ts';
import { unsaved } from '../state/unsaved.ts';
import type { Delivery } from '../text/arrivals.ts';
import {
  channelWords,
  count,
  countListed,
  hostNames,
  outdatedReasons,
  personas,
  personaWords,
  sentence,
} from '../text/words.ts';
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

/** Loads the parts of the inbox. Each part is loaded again only after the events that concern it. */
function useInbox(): Loaded<Parts> {
  const drafts = { view: 'summary', limit: maxShown } as const;
  const activity = usePart('repositories', 'repos:read', ['repo.event'], (signal) =>
    readActivity({ offset: 0, limit: 100 }, signal),
  );
  useSoon(activity.data?.repos.some(isCounting) === true, activity.reload, activity.data);
  const ready = usePart('ready', 'drafts:read', ['draft.status', 'publication.status', 'repository'], (signal) =>
    readDrafts({ ...drafts, status: 'ready', published: 'false', outdated: 'false' }, signal),
  );
  const failed = usePart('failed', 'drafts:read', ['publication.status', 'repository'], (signal) =>
    api().listPublications({ status: 'failed', limit: maxShown }, { signal }),
  );
  const outdated = usePart('outdated', 'drafts:read', ['draft.status', 'repository'], (signal) =>
    readDrafts({ ...drafts, outdated: 'true' }, signal),
  );
  const refused = usePart('refused', 'webhooks:read', ['delivery.refused'], (signal) =>
    api().listDeliveries({ outcome: 'refused', limit: 5 }, { signal }),
  );
  const parts = [activity, ready, failed, outdated, refused];
  const isComplete = parts.every(({ data, isAllowed }) => data !== undefined || !isAllowed);
  return {
    data: isComplete
      ? {
          repos: activity.data?.repos,
          ready: { items: ready.data?.drafts ?? [], total: ready.data?.total ?? 0 },
          failed: { items: failed.data?.publications ?? [], total: failed.data?.total ?? 0 },
          outdated: { items: outdated.data?.drafts ?? [], total: outdated.data?.total ?? 0 },
          refused: { items: refused.data?.deliveries ?? [], total: refused.data?.total ?? 0 },
          unread: (activity.data?.total ?? 0) - (activity.data?.repos.length ?? 0),
        }
      : undefined,
    error: parts.find(({ error }) => error !== undefined)?.error,
    reload: () => {
      for (const { reload } of parts) reload();
    },
  };
}

interface Parts {
  /** Undefined if the key may not see repositories. */
  repos: readonly Active[] | undefined;
  ready: { items: readonly ListedDraft[]; total: number };
  failed: { items: readonly Publication[]; total: number };
  outdated: { items: readonly ListedDraft[]; total: number };
  refused: { items: readonly Delivery[]; total: number };
  /** Number of repositories beyond those that the inbox reads. */
  unread: number;
}

/** Loads one part. A part that the key may not see stays empty. */
function usePart<T>(
  name: string,
  scope: Scope,
  events: About['events'],
  load: (signal: AbortSignal) => Promise<T>,
): Loaded<T> & { isAllowed: boolean } {
  const isAllowed = mayUse(scope);
  return { ...useLoad(`inbox ${name}`, load, [isAllowed || null], { events }), isAllowed };
}

async function readDrafts(input: Operations['listDrafts']['input'], signal: AbortSignal) {
  const found = await api().listDrafts(input, { signal });
  noteHeads(found.drafts);
  return found;
}

/** The parts of the inbox, with the scopes of the requests that read them. A part whose scopes are missing is left out. */
const shownParts: readonly { to: string; scopes: readonly Scope[] }[] = [
  { to: 'see unreleased changes here', scopes: ['repos:read', 'ranges:read'] },
  { to: 'see drafts and publications here', scopes: ['drafts:read'] },
  { to: 'see refused deliveries here', scopes: ['webhooks:read'] },
];

export function Inbox(): JSX.Element {
  const loaded = useInbox();
  const isEmpty = loaded.data?.repos?.length === 0;
  useEffect(() => {
    if (isEmpty) openGuide(true);
  }, [isEmpty]);
  const isGuided = isEmpty || isGuideOpen.value;
  return (
    <Screen title="Inbox">
      <Shown of={loaded}>
        {({ repos = [], ready, failed, outdated, refused, unread }) => {
          const waiting = repos.filter(
            ({ unreleased }) => unreleased && unreleased.changes + unreleased.dependencyUpdates > 0,
          );
          const open = unsaved.value.filter(({ isSaving }) => !isSaving);
          const total = waiting.length + ready.total + failed.total + outdated.total + refused.total + open.length;
          return (
            <>
              {isGuided && <Guide isEmpty={isEmpty} />}
              {!isGuided && total === 0 && maySeeAny() && <Clear repos={repos} isAll={unread === 0} />}
              <Group title="Changes of yours that are not saved" shown={open.length}>
                {open.map(({ name, title, href }) => (
                  <li key={name}>
                    <Link href={href}>{title}</Link>
                  </li>
                ))}
              </Group>
              <Group title="Unreleased changes" shown={waiting.length}>
                {waiting.map((repository) => (
                  <Waiting key={repository.id} repository={repository} />
                ))}
              </Group>
              <Group title="Ready to publish" shown={ready.total}>
                {byRange(ready.items).map(([rangeId, drafts]) => (
                  <li key={rangeId}>
                    <span>
                      <RangeName rangeId={rangeId} />
                    </span>
                    <span class="row-links">
                      {inOrder(drafts).map(({ id, persona }) => (
                        <Link key={id} href={`/app/drafts/${id}`}>
                          {personaWords[persona].name}
                        </Link>
                      ))}
                    </span>
                  </li>
                ))}
                <More than={ready} noun="older draft" />
              </Group>
              <Group title="Failed publications" shown={failed.total}>
                {failed.items.map((publication) => (
                  <li key={publication.id}>
                    <Link href="/app/publications?status=failed">
                      <DraftName draftId={publication.draftId} /> to {channelWords[publication.channel].name}
                    </Link>
                    <PublicationPill publication={publication} />
                    <span class="faint">{publication.error}</span>
                  </li>
                ))}
                <More than={failed} noun="older publication" href="/app/publications?status=failed" />
              </Group>
              <Group title="Outdated drafts" shown={outdated.total}>
                {outdated.items.map((draft) => (
                  <li key={draft.id}>
                    <Link href={`/app/drafts/${draft.id}`}>
                      <DraftName draftId={draft.id} />
                    </Link>
                    <span class="faint">{outdatedReasons(draft.outdatedBecause)}</span>
                  </li>
                ))}
                <More than={outdated} noun="older draft" />
              </Group>
              {/* The guide shows them with more advice. */}
              <Group title="Refused deliveries" shown={isGuided ? 0 : refused.total}>
                {byReason(refused.items).map(([{ id, receivedAt, message, remedy, hostKind, event }, times]) => (
                  <li key={id}>
                    <span>
                      {hostKind ? hostNames[hostKind] : 'A host'} sent {event ?? 'a delivery'} <Time at={receivedAt} />
                    </span>
                    <Pill tone="bad">refused{times > 1 && ` ${times} times`}</Pill>
                    <span class="faint wide-line">
                      {sentence(message ?? '')} {sentence(remedy ?? '')}
                    </span>
                  </li>
                ))}
                <More than={refused} noun="older delivery" href="/app/deliveries?outcome=refused" />
              </Group>
              {unread > 0 && (
                <p class="faint">
                  The inbox does not look at the unreleased changes of {count(unread, 'more repository')}. See{' '}
                  <Link href="/app/repositories">all repositories</Link>.
                </p>
              )}
              {shownParts.map((part) => (
                <Needs key={part.to} {...part} />
              ))}
            </>
          );
        }}
      </Shown>
    </Screen>
  );
}

/** Whether the key may see any part of the inbox. */
function maySeeAny(): boolean {
  return shownParts.some(({ scopes }) => mayUse(...scopes));
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

/** @param isAll whether the inbox has looked at everything */
function Clear({ repos, isAll }: { repos: readonly Active[]; isAll: boolean }): JSX.Element {
  const last = repos
    .flatMap(({ lastEventAt }) => lastEventAt ?? [])
    .toSorted()
    .at(-1);
  return (
    <Empty title={isAll ? 'Nothing waits.' : 'Nothing was found here.'}>
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

/** Says how many items of a group are not shown. */
function More({
  than,
  noun,
  href,
}: {
  than: { items: readonly unknown[]; total: number };
  noun: string;
  href?: string;
}): JSX.Element | null {
  const rest = than.total - than.items.length;
  const text = `and ${count(rest, noun)}`;
  return rest > 0 ? <li class="faint">{href ? <Link href={href}>{text}</Link> : text}</li> : null;
}

/** Gathers deliveries that were refused for the same reason: the newest of each, and their number. */
function byReason(refused: readonly Delivery[]): [newest: Delivery, times: number][] {
  const found = new Map<string, [Delivery, number]>();
  for (const each of refused) {
    const reason = JSON.stringify([each.message, each.remedy, each.hostKind, each.event]);
    const [newest = each, times = 0] = found.get(reason) ?? [];
    found.set(reason, [newest, times + 1]);
  }
  return [...found.values()];
}

/** Gathers the drafts of each range. */
function byRange(drafts: readonly ListedDraft[]): [string, ListedDraft[]][] {
  const ranges = new Map<string, ListedDraft[]>();
  for (const draft of drafts) ranges.set(draft.releaseRangeId, [...(ranges.get(draft.releaseRangeId) ?? []), draft]);
  return [...ranges];
}

/** Sorts the drafts of a range by their readers, in the usual order. */
function inOrder(drafts: readonly ListedDraft[]): ListedDraft[] {
  return drafts.toSorted((a, b) => personas.indexOf(a.persona) - personas.indexOf(b.persona));
}

function Waiting({ repository }: { repository: Active }): JSX.Element {
  const { id, fullName, unreleased, lastTag } = repository;
  const unlabelled = unreleased?.unlabelled ?? 0;
  return (
    <li>
      <Link href={`/app/repositories/${id}`}>{fullName}</Link>
      <span>
        {unreleased && countListed(unreleased)} {lastTag ? `since ${lastTag.name}` : 'so far'}
      </span>
      {unlabelled > 0 && <Pill tone="warn">{unlabelled} unlabelled</Pill>}
    </li>
  );
}
