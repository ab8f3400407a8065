/** Publishes a draft: shows the channels to choose from, then the progress of each. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { Channel, Draft, Publication, Range } from '../../../sdk/index.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorBox, errorText, Pill } from '../../parts/feedback.tsx';
import { OutcomeQuestion } from '../../parts/outcome-question.tsx';
import { PublicationPill } from '../../parts/publication-pill.tsx';
import { Needs } from '../../parts/scopes.tsx';
import { noteChange } from '../../state/live.ts';
import { useMounted } from '../../state/mounted.ts';
import { api, isPassing, mayUse, noteRefusal } from '../../state/session.ts';
import { showToast } from '../../state/toasts.ts';
import { type ChannelName, channelWords, count, outdatedReasons, personaWords } from '../../text/words.ts';
import { audienceOf, effectOf } from './channel-effect.ts';

const pollMs = 1_500;

type Progress = { state: 'busy' } | { state: 'known'; publication: Publication } | { state: 'failed'; error: Error };

export function Publish({
  draft,
  range,
  channels,
  connections,
  fitting,
  earlier,
  onClose,
}: {
  draft: Draft;
  range: Range;
  channels: readonly ChannelName[];
  connections: readonly Channel[];
  /** The channels that accept these notes now. The others need a tag first. */
  fitting: readonly ChannelName[];
  /** The newest completed publication of this draft in each channel. */
  earlier: ReadonlyMap<ChannelName, Publication>;
  onClose: () => void;
}): JSX.Element {
  const [chosen, setChosen] = useState<readonly ChannelName[]>([]);
  const [asDraft, setAsDraft] = useState(false);
  const [progress, setProgress] = useState<ReadonlyMap<ChannelName, Progress>>(new Map());
  const isMounted = useMounted();
  const hasBegun = progress.size > 0;
  const isBusy = [...progress.values()].some(isRunning);
  const note = (channel: ChannelName, next: Progress): void =>
    setProgress((before) => new Map(before).set(channel, next));
  const follow = async (channel: ChannelName, send: () => Promise<Publication>): Promise<void> => {
    note(channel, { state: 'busy' });
    try {
      let publication = await send();
      note(channel, { state: 'known', publication });
      while (isUnderWay(publication)) {
        await new Promise((resolve) => setTimeout(resolve, pollMs));
        if (!isMounted.current) return;
        publication = await current(publication);
        note(channel, { state: 'known', publication });
      }
      noteChange();
    } catch (error) {
      noteRefusal(error);
      note(channel, { state: 'failed', error: error as Error });
      if (isMounted.current) return;
      const link = { href: `/app/drafts/${draft.id}`, text: 'Open the draft' };
      showToast(`${channelWords[channel].name}: not published. ${errorText(error as Error)}`, link);
    }
  };
  const publish = (channel: ChannelName): void => {
    const isDraft = channel === 'scm_releases' && asDraft;
    void follow(channel, () => api().publishDraft({ draftId: draft.id, channel, ...(isDraft && { draft: true }) }));
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    for (const channel of chosen) publish(channel);
  };
  const readers = personaWords[draft.persona].name.toLowerCase();
  return (
    <Dialog title={`Publish the notes for ${readers}`} onClose={onClose}>
      <form onSubmit={submit} class="publish">
        {draft.conflicts.length > 0 && (
          <p class="box warn">
            {count(draft.conflicts.length, 'line')} of the text{' '}
            {draft.conflicts.length === 1 ? 'is about a change that is' : 'are about changes that are'} not in the notes
            any more.
          </p>
        )}
        {draft.outdated && <p class="box warn">Outdated: {outdatedReasons(draft.outdatedBecause)}.</p>}
        <fieldset class="channels" disabled={hasBegun}>
          <legend class="hidden">Channels</legend>
          {channels.map((channel) => {
            const connection = connections.find((each) => each.channel === channel);
            const isFitting = fitting.includes(channel);
            const audience = audienceOf(channel, connection);
            return (
              <div key={channel} class="channel">
                <label>
                  <input
                    type="checkbox"
                    disabled={!isFitting}
                    checked={chosen.includes(channel)}
                    onChange={({ currentTarget }) =>
                      setChosen((before) =>
                        currentTarget.checked ? [...before, channel] : before.filter((each) => each !== channel),
                      )
                    }
                  />
                  <span>
                    {channelWords[channel].name} <span class="tag">{audience}</span>
                    <span class="faint">
                      {isFitting
                        ? effectOf(channel, connection, range, earlier.get(channel))
                        : needsTag(channel, range)}
                    </span>
                    {audience === 'public' && draft.persona !== 'customer' && chosen.includes(channel) && (
                      <Pill tone="warn">These notes are for {readers}, and this channel is public.</Pill>
                    )}
                  </span>
                </label>
                {channel === 'scm_releases' && chosen.includes(channel) && !hasBegun && (
                  <label class="inner">
                    <input
                      type="checkbox"
                      role="switch"
                      aria-checked={asDraft}
                      checked={asDraft}
                      onChange={() => setAsDraft(!asDraft)}
                    />
                    <span>as a draft release, which only maintainers see</span>
                  </label>
                )}
              </div>
            );
          })}
        </fieldset>
        {[...progress].map(([channel, each]) => (
          <Outcome
            key={channel}
            channel={channel}
            of={each}
            place={earlier.get(channel)?.url ?? null}
            onPublish={() => publish(channel)}
            onResend={(publicationId) => void follow(channel, () => api().resendPublication({ publicationId }))}
          />
        ))}
        <Needs scopes={['orgs:read']} to="see which other channels are connected" />
        {!hasBegun && mayUse('orgs:read') && (
          <p class="faint">
            More channels are connected in the <Link href="/app/settings/channels">settings</Link>.
          </p>
        )}
        <footer class="dialog-actions">
          {hasBegun ? (
            <button key="close" type="button" class={isBusy ? '' : 'primary'} onClick={onClose}>
              {isBusy ? 'Close; it goes on' : 'Done'}
            </button>
          ) : (
            <button key="publish" type="submit" class="primary" disabled={chosen.length === 0}>
              Publish
            </button>
          )}
        </footer>
      </form>
    </Dialog>
  );
}

/** Reads the state of a publication. While the service does not answer, the last state stays. */
async function current(publication: Publication): Promise<Publication> {
  try {
    return await api().getPublication({ publicationId: publication.id });
  } catch (error) {
    noteRefusal(error);
    if (isPassing(error)) return publication;
    throw error;
  }
}

function needsTag(channel: ChannelName, { type }: Range): string {
  if (type === 'UNRELEASED') return 'It accepts these notes when their tag has arrived.';
  return `${channelWords[channel].name} needs notes that end at a tag. These are defined by ${
    type === 'DATE_BASED' ? 'dates' : 'pull requests'
  }.`;
}

function Outcome({
  channel,
  of,
  place,
  onPublish,
  onResend,
}: {
  channel: ChannelName;
  of: Progress;
  /** Address of an earlier text in the channel. */
  place: string | null;
  onPublish: () => void;
  onResend: (publicationId: string) => void;
}): JSX.Element {
  const name = channelWords[channel].name;
  if (of.state === 'failed')
    return (
      <section class="outcome-row" aria-label={name}>
        <b>{name}</b>
        <ErrorBox error={of.error} again={onPublish} />
      </section>
    );
  if (of.state === 'busy')
    return (
      <p class="outcome" role="status">
        <b>{name}</b> <span class="pulse" /> Publishing…
      </p>
    );
  const { publication } = of;
  const { id, url, error, status, outcomeUnknown, attempts } = publication;
  return (
    <section class="outcome-row" aria-label={name}>
      <p class="outcome" role="status">
        <b>{name}</b> <PublicationPill publication={publication} />
        {url !== null && (
          <a href={url} target="_blank" rel="noreferrer">
            Open
          </a>
        )}
      </p>
      {outcomeUnknown ? (
        <OutcomeQuestion publication={publication} place={url ?? place} onSend={() => onResend(id)} />
      ) : (
        error !== null && (
          <div class={status === 'failed' ? 'box bad' : 'box warn'}>
            <div>
              <p>{error}</p>
              {status === 'failed' ? (
                <>
                  <p>Remove the cause, for example in the settings of the channel, then send the notes again.</p>
                  <button type="button" class="small" onClick={() => onResend(id)}>
                    Send again
                  </button>
                </>
              ) : (
                <p class="faint">{count(attempts.length, 'attempt')} so far; the service tries again by itself.</p>
              )}
            </div>
          </div>
        )
      )}
    </section>
  );
}

function isRunning(progress: Progress): boolean {
  return progress.state === 'known' ? isUnderWay(progress.publication) : progress.state === 'busy';
}

function isUnderWay({ status }: Publication): boolean {
  return status === 'pending' || status === 'processing';
}
