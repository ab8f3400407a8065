/** The sheet that publishes a draft: the channels to choose from, then the progress of each. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Draft, Publication } from '../../../sdk/index.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorBox } from '../../parts/feedback.tsx';
import { PublicationPill } from '../../parts/publication-pill.tsx';
import { noteChange } from '../../state/live.ts';
import { api, base, noteRefusal } from '../../state/session.ts';
import { type ChannelName, channelWords, count, personaWords } from '../../text/words.ts';

const pollMs = 1_500;

type Progress = { state: 'busy' } | { state: 'known'; publication: Publication } | { state: 'failed'; error: Error };

export function Publish({
  draft,
  channels,
  fitting,
  published,
  onClose,
}: {
  draft: Draft;
  channels: readonly ChannelName[];
  /** The channels that accept these notes now. The others need a tag first. */
  fitting: readonly ChannelName[];
  /** Channels that have a text of this draft already. */
  published: ReadonlySet<ChannelName>;
  onClose: () => void;
}): JSX.Element {
  const [chosen, setChosen] = useState<readonly ChannelName[]>([]);
  const [asDraft, setAsDraft] = useState(false);
  const [progress, setProgress] = useState<ReadonlyMap<ChannelName, Progress>>(new Map());
  const hasBegun = progress.size > 0;
  const isBusy = [...progress.values()].some(isRunning);
  const note = (channel: ChannelName, next: Progress): void =>
    setProgress((before) => new Map(before).set(channel, next));
  const publish = async (channel: ChannelName): Promise<void> => {
    note(channel, { state: 'busy' });
    try {
      const isRelease = channel === 'scm_releases';
      let publication = await api().publishDraft({
        draftId: draft.id,
        channel,
        ...(isRelease && asDraft && { draft: true }),
      });
      note(channel, { state: 'known', publication });
      while (publication.status === 'pending' || publication.status === 'processing') {
        await new Promise((resolve) => setTimeout(resolve, pollMs));
        publication = await api().getPublication({ publicationId: publication.id });
        note(channel, { state: 'known', publication });
      }
      noteChange();
    } catch (error) {
      noteRefusal(error);
      note(channel, { state: 'failed', error: error as Error });
    }
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    for (const channel of chosen) void publish(channel);
  };
  return (
    <Dialog title={`Publish the notes for ${personaWords[draft.persona].name.toLowerCase()}`} onClose={onClose}>
      <form onSubmit={submit} class="publish">
        {draft.conflicts.length > 0 && (
          <p class="box warn">
            {count(draft.conflicts.length, 'line')} of the text{' '}
            {draft.conflicts.length === 1 ? 'is about a change that is' : 'are about changes that are'} not in the notes
            any more.
          </p>
        )}
        {draft.outdated && <p class="box warn">The draft is outdated: something changed since it was written.</p>}
        <fieldset class="channels" disabled={hasBegun}>
          <legend class="hidden">Channels</legend>
          {channels.map((channel) => (
            <div key={channel} class="channel">
              <label>
                <input
                  type="checkbox"
                  disabled={!fitting.includes(channel)}
                  checked={chosen.includes(channel)}
                  onChange={({ currentTarget }) =>
                    setChosen((before) =>
                      currentTarget.checked ? [...before, channel] : before.filter((each) => each !== channel),
                    )
                  }
                />
                <span>
                  {channelWords[channel].name}
                  <span class="faint">
                    {channelWords[channel].does}
                    {published.has(channel) && ' The earlier text there is replaced.'}
                    {!fitting.includes(channel) && ' It accepts these notes when their tag has arrived.'}
                  </span>
                </span>
              </label>
              {channel === 'scm_releases' && chosen.includes(channel) && (
                <label class="inner">
                  <input type="checkbox" checked={asDraft} onChange={() => setAsDraft(!asDraft)} />
                  <span>as a draft release, which only maintainers see</span>
                </label>
              )}
              <Outcome of={progress.get(channel)} />
            </div>
          ))}
        </fieldset>
        <p class="faint">
          More channels are connected on the command line with <code>tidings channels put</code>;{' '}
          <a href={`${base}/docs/guide`}>the guide</a> shows how.
        </p>
        <footer class="dialog-actions">
          {hasBegun ? (
            <button type="button" class={isBusy ? '' : 'primary'} onClick={onClose}>
              {isBusy ? 'Close; it goes on' : 'Done'}
            </button>
          ) : (
            <button type="submit" class="primary" disabled={chosen.length === 0}>
              Publish
            </button>
          )}
        </footer>
      </form>
    </Dialog>
  );
}

function Outcome({ of }: { of: Progress | undefined }): JSX.Element | null {
  if (!of) return null;
  if (of.state === 'failed') return <ErrorBox error={of.error} />;
  return (
    <p class="outcome" role="status">
      {of.state === 'busy' ? (
        'Publishing…'
      ) : (
        <>
          <PublicationPill publication={of.publication} />
          {of.publication.url !== null && (
            <a href={of.publication.url} target="_blank" rel="noreferrer">
              Open
            </a>
          )}
          {of.publication.error !== null && <span>{of.publication.error}</span>}
        </>
      )}
    </p>
  );
}

function isRunning(progress: Progress): boolean {
  if (progress.state !== 'known') return progress.state === 'busy';
  return progress.publication.status === 'pending' || progress.publication.status === 'processing';
}
