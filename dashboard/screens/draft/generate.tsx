/** Writes a draft again. Before that, shows which work of the person is kept. After that, shows what has changed. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Draft } from '../../../sdk/index.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Difference } from '../../parts/difference.tsx';
import { ErrorBox, Skeleton } from '../../parts/feedback.tsx';
import { useAttempt } from '../../state/attempt.ts';
import type { DraftText } from '../../state/draft-text.ts';
import { noteChange } from '../../state/live.ts';
import { allOf, useLoad } from '../../state/load.ts';
import { useMounted } from '../../state/mounted.ts';
import { api, isPassing, noteRefusal } from '../../state/session.ts';
import { showToast } from '../../state/toasts.ts';
import { diffLines, linesOf } from '../../text/diff.ts';
import { count } from '../../text/words.ts';
import { idIn } from './marks.ts';

const pollMs = 700;
const maxShown = 12;

export function Generate({
  draft,
  text,
  onClose,
}: {
  draft: Draft;
  text: DraftText;
  onClose: () => void;
}): JSX.Element {
  const { error, attempt } = useAttempt();
  const [phase, setPhase] = useState<'asks' | 'busy' | 'done'>('asks');
  const [before] = useState(text.text);
  const [after, setAfter] = useState<Draft | undefined>(undefined);
  const isMounted = useMounted();
  const generate = async (): Promise<void> => {
    setPhase('busy');
    // The screen says why the text could not be saved.
    if (!(await text.save())) return isMounted.current ? onClose() : undefined;
    const isDone = await attempt(async () => {
      const { releaseRangeId: rangeId, persona } = draft;
      await api().generateDraft({ rangeId, persona });
      noteChange();
      const written = await ended(draft.id, isMounted);
      // Without the dialog, the person may type already. The screen then takes over the new text by itself.
      if (!written) return;
      noteChange();
      // The screen says why a draft could not be written.
      if (written.status === 'failed') return onClose();
      text.adopt(written);
      setAfter(written);
    });
    if (!isDone && !isMounted.current)
      showToast('The draft was not generated again.', { href: `/app/drafts/${draft.id}`, text: 'Open it' });
    setPhase(isDone ? 'done' : 'asks');
  };
  if (phase === 'done' && after)
    return (
      <Dialog title="The draft is written again" size="wide" onClose={onClose}>
        {before === after.bodyMd ? (
          <p>Nothing has changed: the text already fits the changes as they are now.</p>
        ) : (
          <>
            <p class="faint">
              These lines have changed. The earlier text is in the revisions and can be restored there.
            </p>
            <Difference before={before} after={after.bodyMd} />
          </>
        )}
        <footer class="dialog-actions">
          <button type="button" class="primary" onClick={onClose}>
            Done
          </button>
        </footer>
      </Dialog>
    );
  return (
    <Dialog title="Generate this draft again?" onClose={onClose}>
      <p>The service writes the draft from the changes as they are now.</p>
      <Kept draft={draft} text={before} />
      <p class="faint">
        Lines about changes that have left the notes are kept and marked. The present text stays in the revisions.
      </p>
      {error && <ErrorBox error={error} />}
      <footer class="dialog-actions">
        <button type="button" onClick={onClose}>
          {phase === 'busy' ? 'Close; it goes on' : 'Cancel'}
        </button>
        <button type="button" class="primary" disabled={phase === 'busy'} onClick={generate}>
          {phase === 'busy' ? 'The service writes…' : 'Generate again'}
        </button>
      </footer>
    </Dialog>
  );
}

/** Waits until the service has written a draft. Returns undefined if the dialog is closed before. */
async function ended(draftId: string, isMounted: { current: boolean }): Promise<Draft | undefined> {
  while (isMounted.current) {
    try {
      const draft = await api().getDraft({ draftId });
      if (draft.status !== 'processing') return isMounted.current ? draft : undefined;
    } catch (error) {
      noteRefusal(error);
      if (!isPassing(error)) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  return undefined;
}

/** Lists what a person has changed since the service wrote the text. */
function Kept({ draft, text }: { draft: Draft; text: string }): JSX.Element | null {
  const loaded = useLoad(
    'work of a person',
    async (signal) => {
      const entries = await allOf(api().each('listDraftEntries', { draftId: draft.id, limit: 100 }, { signal }));
      const own = entries.filter(({ source }) => source === 'person');
      return { entries: own, written: await lastWritten(draft.id, signal) };
    },
    [draft.id, draft.updatedAt],
  );
  const { data } = loaded;
  if (loaded.error && !isPassing(loaded.error)) return <ErrorBox error={loaded.error} again={loaded.reload} />;
  if (!data) return <Skeleton lines={2} />;
  const edited = data.entries.filter(({ marker }) => marker !== null);
  const items = data.entries.filter(({ marker }) => marker === null).map((entry) => entry.text);
  const isItem = (line: string): boolean => /^\s*([-*+]|\d+[.)]) /.test(line);
  const own =
    data.written === undefined
      ? []
      : diffLines(linesOf(data.written), linesOf(text))
          .filter(({ kind, line }) => kind === 'added' && line.trim() !== '' && !line.startsWith('#'))
          .map(({ line }) => line)
          .filter((line) => idIn(line) === undefined && !isItem(line));
  if (edited.length + items.length + own.length === 0)
    return data.written === undefined ? null : (
      <p class="faint">You have not changed the text since the service wrote it.</p>
    );
  return (
    <>
      <p>Your work stays:</p>
      <ul class="kept">
        <Group title={count(edited.length, 'edited entry')} texts={edited.map((each) => each.text)} />
        <Group title={`${count(items.length, 'item')} of your own`} texts={items} />
        <Group title={`${count(own.length, 'line')} of your own`} texts={own} />
      </ul>
    </>
  );
}

function Group({ title, texts }: { title: string; texts: readonly string[] }): JSX.Element | null {
  if (texts.length === 0) return null;
  return (
    <li>
      <b>{title}</b>
      <ul>
        {texts.slice(0, maxShown).map((text, i) => (
          <li key={i} class="one-line">
            {text}
          </li>
        ))}
        {texts.length > maxShown && <li class="faint">and {texts.length - maxShown} more</li>}
      </ul>
    </li>
  );
}

/** Returns the newest text that the service wrote; undefined if the revision has been removed. */
async function lastWritten(draftId: string, signal: AbortSignal): Promise<string | undefined> {
  for await (const { kind, number } of api().each(
    'listDraftRevisions',
    { draftId, limit: 100, order: 'desc' },
    { signal },
  ))
    if (kind === 'generated' || kind === 'merged')
      return (await api().getDraftRevision({ draftId, revision: String(number) }, { signal })).bodyMd;
  return undefined;
}
