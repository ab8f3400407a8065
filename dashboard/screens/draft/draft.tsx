/** Shows a draft: one tab per kind of reader, the text, its preview, and the way to publish it. */
import type { JSX } from 'preact';
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import {
  type Channel,
  type Draft as DraftData,
  NotFoundError,
  type Publication,
  type Range,
} from '../../../sdk/index.ts';
import { Options } from '../../parts/choice.tsx';
import { ErrorBox, Skeleton } from '../../parts/feedback.tsx';
import { Icon } from '../../parts/icons.tsx';
import { late } from '../../parts/late.tsx';
import { Allowed, Needs } from '../../parts/scopes.tsx';
import { Screen } from '../../parts/screen.tsx';
import { useShortcut } from '../../shell/keys.ts';
import { useAttempt } from '../../state/attempt.ts';
import { type DraftText, dropText, keptTextOf, useDraftText } from '../../state/draft-text.ts';
import { useLoad } from '../../state/load.ts';
import { useMounted } from '../../state/mounted.ts';
import { aboutRanges } from '../../state/names.ts';
import { openRepository, repositoryById } from '../../state/repositories.ts';
import { api, isPassing, mayUse } from '../../state/session.ts';
import {
  type ChannelName,
  channelNames,
  conflictReason,
  count,
  outdatedReasons,
  type Persona,
  personas,
  personaWords,
  rangeName,
  rangeStart,
  versionChannels,
} from '../../text/words.ts';
import { ClashDialog } from './clash-dialog.tsx';
import { Editor } from './editor.tsx';
import { useMarks } from './marks.ts';
import { Preview } from './preview.tsx';
import { Publish } from './publish.tsx';

const Generate = late(async () => (await import('../later.ts')).Generate);
const Revisions = late(async () => (await import('../later.ts')).Revisions);

const panes = { text: 'Text', preview: 'Preview' } as const;

export function Draft({ draftId }: { draftId: string }): JSX.Element {
  const [maySee, maySeeRange] = [mayUse('drafts:read'), mayUse('ranges:read')];
  const loaded = useLoad('draft', (signal) => api().getDraft({ draftId }, { signal }), [maySee ? draftId : null], {
    events: ['draft.status', 'repository'],
  });
  const draft = loaded.data;
  const rangeId = draft?.releaseRangeId ?? '';
  const range = useLoad(
    'range',
    (signal) => api().getRange({ rangeId }, { signal }),
    [maySeeRange && draft ? rangeId : null],
    aboutRanges,
  );
  if (draft && !maySeeRange) return <WithoutRange draft={draft} />;
  if (!draft || !range.data)
    return (
      <Screen title="Draft" isWide>
        {loaded.error || range.error ? (
          <>
            <ErrorBox
              error={(loaded.error ?? range.error) as Error}
              again={loaded.error ? loaded.reload : range.reload}
            />
            {loaded.error instanceof NotFoundError && <LeftText draftId={draftId} />}
          </>
        ) : (
          <Allowed scopes={['drafts:read']} to="see drafts">
            <Skeleton lines={10} />
          </Allowed>
        )}
      </Screen>
    );
  return <Loaded key={draft.id} draft={draft} range={range.data} fault={loaded.error} reload={loaded.reload} />;
}

/** Shows the text that a person has typed into a draft that is gone, so that it can be copied. */
function LeftText({ draftId }: { draftId: string }): JSX.Element | null {
  const [, navigate] = useLocation();
  const text = keptTextOf(draftId);
  if (text === undefined) return null;
  const discard = (): void => {
    dropText(draftId);
    navigate('/');
  };
  return (
    <section aria-label="Text that is not saved">
      <h2>Your text that is not saved</h2>
      <pre class="payload">{text}</pre>
      <button type="button" onClick={discard}>
        Discard this text
      </button>
    </section>
  );
}

/** A draft for a key that may not see what it covers: its text as readers see it. */
function WithoutRange({ draft: { id, persona, status, updatedAt } }: { draft: DraftData }): JSX.Element {
  return (
    <Screen title={`Notes, ${personaWords[persona].name.toLowerCase()}`} isWide>
      <Needs scopes={['ranges:read']} to="see what these notes cover, and to edit them" />
      <div class="channel-preview">
        <Preview draftId={id} version={updatedAt} isReady={status === 'ready'} connected={channelNames} />
      </div>
    </Screen>
  );
}

interface LoadedProps {
  draft: DraftData;
  range: Range;
  /** Why the draft could not be read again. The last text stays. */
  fault: Error | undefined;
  reload: () => void;
}

function Loaded({ draft, range, fault, reload }: LoadedProps): JSX.Element {
  const { repoId } = range;
  const [open, setOpen] = useState<'revisions' | 'publish' | 'generate' | undefined>(undefined);
  const [pane, setPane] = useState<keyof typeof panes>('text');
  const repository = repositoryById.value.get(repoId)?.fullName;
  const name = rangeName(range);
  const readers = personaWords[draft.persona].name.toLowerCase();
  const text = useDraftText(draft, `Notes of ${repository ?? 'a repository'} ${name}, ${readers}`);
  const marks = useMarks(draft, range);
  const { channels, connections } = useConnected(repoId);
  const publications = useLoad(
    'publications of a draft',
    (signal) => api().listPublications({ draftId: draft.id, status: 'completed', limit: 100 }, { signal }),
    [draft.id],
    { events: ['publication.status'], repoId },
  );
  const fitting = channels.filter((each) => accepts(each, range));
  const isReady = draft.status === 'ready';
  const mayWrite = mayUse('drafts:write');
  const mayPublish = mayUse('publish:write');
  const openPublish = useCallback(() => void text.save().then((isSaved) => isSaved && setOpen('publish')), [text.save]);
  useEffect(() => openRepository(repoId), [repoId]);
  useShortcut('p', isReady && mayPublish ? openPublish : undefined);
  useShortcut('save', text.save);
  const close = (): void => setOpen(undefined);
  return (
    <Screen
      title={`${name}, ${readers}`}
      heading={name}
      group={range.id}
      isWide
      above={
        <p class="crumbs">
          <Link href={`/app/repositories/${repoId}/releases`}>{repository ?? 'Repository'}</Link>
        </p>
      }
      below={
        <p class="facts-line">
          {rangeStart(range) !== '' && <span>{rangeStart(range)}</span>}
          <span>{count(range.prCount, 'pull request')}</span>
          <SaveState of={text} isAway={fault !== undefined && isPassing(fault)} />
        </p>
      }
      actions={
        <>
          <button type="button" onClick={() => setOpen('revisions')}>
            <Icon name="history" /> Revisions
          </button>
          {mayWrite && (
            <button type="button" onClick={() => setOpen('generate')} disabled={draft.status === 'processing'}>
              Generate again
            </button>
          )}
          {mayPublish && (
            <button type="button" class="primary" disabled={!isReady} onClick={openPublish}>
              Publish
            </button>
          )}
        </>
      }
    >
      <PersonaTabs draft={draft} />
      {fault && !isPassing(fault) && <ErrorBox error={fault} again={reload} />}
      {fault instanceof NotFoundError && <LeftText draftId={draft.id} />}
      {text.state === 'refused' && text.error && <ErrorBox error={text.error} again={() => void text.save()} />}
      <Needs scopes={['drafts:write']} to="change this draft" />
      <Notices draft={draft} onGenerate={mayWrite ? () => setOpen('generate') : undefined} />
      {draft.status === 'processing' && draft.bodyMd === '' ? (
        <Skeleton lines={10} />
      ) : (
        <>
          <div class="pane-switch choice">
            <Options name="pane" texts={panes} chosen={pane} onChoose={setPane} />
          </div>
          <div class={`panes show-${pane}`}>
            <Editor
              text={text.text}
              repoId={repoId}
              marks={marks}
              isReadOnly={text.state === 'clash' || !isReady || !mayWrite}
              onChange={text.change}
            />
            <Preview
              draftId={draft.id}
              version={text.savedAt}
              isReady={isReady}
              connected={channels}
              hasRelease={range.type === 'UNRELEASED' || range.toTag != null}
            />
          </div>
        </>
      )}
      {text.clash && <ClashDialog clash={text.clash} mine={text.text} onResolve={text.resolve} />}
      {open === 'revisions' && (
        <Revisions
          draft={draft}
          text={text}
          onClose={close}
          onRestored={() => {
            reload();
            close();
          }}
        />
      )}
      {open === 'publish' && (
        <Publish
          draft={draft}
          range={range}
          channels={channels}
          connections={connections}
          fitting={fitting}
          earlier={newestOf(publications.data?.publications ?? [])}
          onClose={close}
        />
      )}
      {open === 'generate' && <Generate draft={draft} text={text} onClose={close} />}
    </Screen>
  );
}

/** Whether a channel accepts the notes of a range. Some channels need a version, and the host's releases need a tag. */
function accepts(channel: ChannelName, { type, toTag }: Range): boolean {
  if (channel === 'scm_releases') return type !== 'UNRELEASED' && toTag != null;
  return type !== 'UNRELEASED' || !versionChannels.has(channel);
}

/** Returns the publication of each channel that was made last. */
function newestOf(publications: readonly Publication[]): ReadonlyMap<ChannelName, Publication> {
  const sorted = [...publications].sort((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt));
  return new Map(sorted.map((each) => [each.channel, each]));
}

/** Returns the channels that can be published to, and the connections that the key may read. */
function useConnected(repoId: string): { channels: readonly ChannelName[]; connections: readonly Channel[] } {
  const loaded = useLoad('channels', (signal) => api().listChannels({ repoId, limit: 100 }, { signal }), [
    mayUse('orgs:read') ? repoId : null,
  ]);
  // The preview is not drawn again at each key, so its list of channels stays the same object.
  return useMemo(() => {
    const connections = loaded.data?.channels ?? [];
    const connected = new Set(connections.filter((each) => each.connected).map(({ channel }) => channel));
    connected.add('hosted');
    return { channels: channelNames.filter((name) => connected.has(name)), connections };
  }, [loaded.data]);
}

/** @param isAway whether the service does not answer at the moment */
function SaveState({ of: { state }, isAway }: { of: DraftText; isAway: boolean }): JSX.Element {
  const words = {
    saved: isAway ? 'Saved. The service does not answer; trying again…' : 'Saved',
    unsaved: 'Not saved yet',
    saving: 'Saving…',
    retrying: 'Not saved yet. Trying again…',
    refused: 'Not saved; the text is kept in this browser',
    clash: 'Changed elsewhere',
  };
  const tone = state === 'refused' ? 'bad-text' : state === 'retrying' || isAway ? 'warn-text' : 'faint';
  return (
    <>
      <span class={tone}>{words[state]}</span>
      {/* Each pause while typing changes the words, so only faults are read aloud. */}
      <span class="hidden" role="status">
        {tone === 'bad-text' && 'The service does not accept this text.'}
        {tone === 'warn-text' && 'The service does not answer.'}
      </span>
    </>
  );
}

function PersonaTabs({ draft }: { draft: DraftData }): JSX.Element {
  const { releaseRangeId } = draft;
  const loaded = useLoad(
    'drafts of a range',
    (signal) => api().listDrafts({ releaseRangeId, limit: 10, view: 'summary' }, { signal }),
    [releaseRangeId],
    { events: ['draft.status'] },
  );
  const [, navigate] = useLocation();
  const { error, attempt } = useAttempt();
  const isMounted = useMounted();
  const all = new Map((loaded.data?.drafts ?? [draft]).map((each) => [each.persona, each]));
  const write = async (persona: Persona): Promise<void> => {
    const { id } = await api().generateDraft({ rangeId: releaseRangeId, persona });
    if (isMounted.current) navigate(`/app/drafts/${id}`);
  };
  return (
    <>
      <nav class="tabs" aria-label="Readers">
        {personas.map((persona) => {
          const own = all.get(persona);
          if (!own && !(loaded.data && mayUse('drafts:write'))) return null;
          return own ? (
            <Link key={persona} href={`/app/drafts/${own.id}`} aria-current={own.id === draft.id ? 'page' : undefined}>
              {personaWords[persona].name}
              {own.status === 'processing' && <span class="faint"> writing…</span>}
              {own.status === 'failed' && <span class="bad-text"> failed</span>}
              {own.status === 'ready' && own.outdated && <span class="warn-text"> outdated</span>}
            </Link>
          ) : (
            <button key={persona} type="button" class="tab-add" onClick={() => void attempt(() => write(persona))}>
              <span class="tab-verb">Write for </span>
              <span class="tab-name">{personaWords[persona].name.toLowerCase()}</span>
            </button>
          );
        })}
      </nav>
      {error && <ErrorBox error={error} />}
    </>
  );
}

/** @param onGenerate writes the draft again; undefined if the key may not */
function Notices({ draft, onGenerate }: { draft: DraftData; onGenerate: (() => void) | undefined }): JSX.Element {
  const { status, error, outdated, outdatedBecause, conflicts } = draft;
  return (
    <>
      {status === 'processing' && (
        <p class="box" role="status">
          <span class="pulse" /> The service writes this draft.
        </p>
      )}
      {status === 'failed' && (
        <div class="box bad" role="alert">
          <Icon name="warning" />
          <div>
            <p>{error ?? 'The draft could not be written.'}</p>
            {onGenerate && (
              <button type="button" class="small" onClick={onGenerate}>
                Generate again
              </button>
            )}
          </div>
        </div>
      )}
      {outdated && status === 'ready' && (
        <div class="box warn">
          <Icon name="warning" />
          <p>
            Outdated: {outdatedReasons(outdatedBecause)}.{' '}
            {onGenerate && (
              <button type="button" class="link" onClick={onGenerate}>
                Generate again
              </button>
            )}
          </p>
        </div>
      )}
      {conflicts.length > 0 && (
        <details class="box warn">
          <summary>
            {count(conflicts.length, 'line')} of yours {conflicts.length === 1 ? 'is' : 'are'} about changes that are
            not in the notes any more
          </summary>
          <ul>
            {conflicts.slice(0, 50).map((conflict) => (
              <li key={conflict.id}>
                {conflict.number !== null ? `#${conflict.number}` : (conflict.sha?.slice(0, 7) ?? '')} “{conflict.text}”{' '}
                <span class="warn-text">{conflictReason(conflict)}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}
