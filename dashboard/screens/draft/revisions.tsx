/** The earlier texts of a draft: what differs from the present text, and a way back. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { type Draft, metaOf, type Revision } from '../../../sdk/index.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Difference } from '../../parts/difference.tsx';
import { ErrorBox, Shown } from '../../parts/feedback.tsx';
import { Time } from '../../parts/time.tsx';
import { useAttempt } from '../../state/attempt.ts';
import { useLoad } from '../../state/load.ts';
import { api, mayUse } from '../../state/session.ts';
import { showToast } from '../../state/toasts.ts';

const kinds: Readonly<Record<Revision['kind'], string>> = {
  generated: 'Written by the service',
  edited: 'Edited',
  merged: 'Generated again, edits kept',
  restored: 'Restored',
};

export function Revisions({
  draft,
  onRestored,
  onClose,
}: {
  draft: Draft;
  onRestored: (draft: Draft) => void;
  onClose: () => void;
}): JSX.Element {
  const [chosen, setChosen] = useState<number | undefined>(undefined);
  const loaded = useLoad(
    'revisions',
    (signal) => api().listDraftRevisions({ draftId: draft.id, limit: 100, order: 'desc' }, { signal }),
    [draft.id, draft.revision],
  );
  return (
    <Dialog title="Revisions" size="side" onClose={onClose}>
      <Shown of={loaded}>
        {({ revisions }) => (
          <ol class="revisions">
            {revisions.map((revision) => (
              <li key={revision.number}>
                <button
                  type="button"
                  aria-expanded={chosen === revision.number}
                  onClick={() => setChosen(chosen === revision.number ? undefined : revision.number)}
                >
                  <span>
                    {kinds[revision.kind]}
                    {revision.number === draft.revision && <span class="faint"> · now</span>}
                  </span>
                  <span class="faint">
                    #{revision.number} · <Time at={revision.createdAt} />
                  </span>
                </button>
                {chosen === revision.number && (
                  <Earlier draft={draft} number={revision.number} onRestored={onRestored} />
                )}
              </li>
            ))}
          </ol>
        )}
      </Shown>
    </Dialog>
  );
}

function Earlier({
  draft,
  number,
  onRestored,
}: {
  draft: Draft;
  number: number;
  onRestored: (draft: Draft) => void;
}): JSX.Element {
  const { error, attempt } = useAttempt();
  const draftId = draft.id;
  const loaded = useLoad(
    'revision',
    (signal) => api().getDraftRevision({ draftId, revision: String(number) }, { signal }),
    [draftId, number],
  );
  const restore = async (): Promise<void> => {
    await api().restoreDraft({ draftId, revision: number }, { ifMatch: metaOf(draft).etag ?? '' });
    onRestored(await api().getDraft({ draftId }));
    showToast(`Revision ${number} is restored. The earlier text stays in the revisions.`);
  };
  return (
    <Shown of={loaded} lines={3}>
      {({ bodyMd }) => (
        <div class="difference">
          {bodyMd === draft.bodyMd ? (
            <p class="faint">The text is the same as the present one.</p>
          ) : (
            <>
              <p class="faint">Changes since revision {number}: red was removed, green was added.</p>
              <Difference before={bodyMd} after={draft.bodyMd} />
              {error && <ErrorBox error={error} />}
              {mayUse('drafts:write') && (
                <button type="button" onClick={() => void attempt(restore)}>
                  Restore this text
                </button>
              )}
            </>
          )}
        </div>
      )}
    </Shown>
  );
}
