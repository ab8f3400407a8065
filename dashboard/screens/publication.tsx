/** One publication: its state and attempts, sending it again, and taking it down or forgetting it. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { NotFoundError, type Publication } from '../../sdk/index.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Facts } from '../parts/facts.tsx';
import { ErrorBox } from '../parts/feedback.tsx';
import { OutcomeQuestion } from '../parts/outcome-question.tsx';
import { PublicationPill } from '../parts/publication-pill.tsx';
import { Question } from '../parts/question.tsx';
import { Needs } from '../parts/scopes.tsx';
import { Time } from '../parts/time.tsx';
import { useAttempt } from '../state/attempt.ts';
import { noteChange } from '../state/live.ts';
import { useLoad } from '../state/load.ts';
import { api, mayUse } from '../state/session.ts';
import { showToast } from '../state/toasts.ts';
import { channelWords, count, outdatedReasons } from '../text/words.ts';

/** @param of the publication as the list has it. The dialog reads it itself, since it may leave the list */
export function PublicationDialog({ of, onClose }: { of: Publication; onClose: () => void }): JSX.Element {
  const { id: publicationId, channel, draftId } = of;
  const loaded = useLoad(
    'publication',
    (signal) => api().getPublication({ publicationId }, { signal }),
    [publicationId],
    { events: ['publication.status'] },
  );
  // What an earlier dialog has read may be older than the list.
  const newest = loaded.data && loaded.data.updatedAt >= of.updatedAt ? loaded.data : of;
  const { status, url, error, attempts, nextAttemptAt, outcomeUnknown, outdated, outdatedBecause, counts } = newest;
  const { error: refusal, attempt } = useAttempt();
  const [isBusy, setBusy] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const [, navigate] = useLocation();
  const resend = async (): Promise<void> => {
    setBusy(true);
    await attempt(async () => {
      const sent = await api().resendPublication({ publicationId });
      noteChange();
      // The dialog shows why.
      if (sent.status === 'failed') return;
      showToast('The notes are sent again.');
      onClose();
    });
    setBusy(false);
  };
  const fault = refusal ?? loaded.error;
  const mayWrite = mayUse('publish:write') && !(loaded.error instanceof NotFoundError);
  return (
    <>
      {isAsking && (
        <Removal
          of={newest}
          onDone={(message) => {
            noteChange();
            showToast(message);
            onClose();
          }}
          onClose={() => setAsking(false)}
        />
      )}
      <Dialog title={channelWords[channel].name} size="side" onClose={onClose}>
        <p class="outcome" role="status">
          <PublicationPill publication={newest} />
          {url !== null && (
            <a href={url} target="_blank" rel="noreferrer">
              Open
            </a>
          )}
          <button type="button" class="link" onClick={() => navigate(`/app/drafts/${draftId}`)}>
            Draft
          </button>
        </p>
        {outcomeUnknown && mayWrite && (
          <OutcomeQuestion publication={newest} place={url} isBusy={isBusy} onSend={() => void resend()} />
        )}
        {error !== null && <p class="box bad">{error}</p>}
        {outdated && <p class="box warn">Outdated: {outdatedReasons(outdatedBecause)}.</p>}
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
        {mayWrite && (status === 'completed' || status === 'failed') && (
          <footer class="dialog-actions">
            {status === 'completed' && (
              <button type="button" onClick={() => setAsking(true)}>
                {channel === 'hosted' ? 'Take down' : 'Forget'}
              </button>
            )}
            <button type="button" class="primary" disabled={isBusy} onClick={() => void resend()}>
              Send again
            </button>
          </footer>
        )}
      </Dialog>
    </>
  );
}

/** Asks before a publication is deleted. Only the page of this service can be taken down; what others have stays. */
function Removal({
  of: { id: publicationId, channel },
  onDone,
  onClose,
}: {
  of: Publication;
  onDone: (message: string) => void;
  onClose: () => void;
}): JSX.Element {
  const isHosted = channel === 'hosted';
  return (
    <Question
      title={isHosted ? 'Take the page down?' : 'Forget this publication?'}
      action={isHosted ? 'Take down' : 'Forget'}
      onConfirm={async () => onDone((await api().deletePublication({ publicationId })).message)}
      onClose={onClose}
    >
      <p>
        {isHosted
          ? 'The page of these notes and its entries in the feeds are removed. If newer notes have replaced them there, the page stays. The draft stays too.'
          : `Only the record of it here is deleted. What was published stays there (${channelWords[channel].name}), and can be deleted only there.`}
      </p>
    </Question>
  );
}
