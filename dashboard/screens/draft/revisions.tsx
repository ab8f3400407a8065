/** Lists the earlier texts of a draft, shows what differs from the present text, and restores one of them. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Draft, Revision } from '../../../sdk/index.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Difference } from '../../parts/difference.tsx';
import { ErrorBox, Shown } from '../../parts/feedback.tsx';
import { Time } from '../../parts/time.tsx';
import { useAttempt } from '../../state/attempt.ts';
import type { DraftText } from '../../state/draft-text.ts';
import { allOf, useLoad } from '../../state/load.ts';
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
  text,
  onRestored,
  onClose,
}: {
  draft: Draft;
  text: DraftText;
  onRestored: () => void;
  onClose: () => void;
}): JSX.Element {
  const [chosen, setChosen] = useState<number | undefined>(undefined);
  const loaded = useLoad(
    'revisions',
    (signal) => allOf(api().each('listDraftRevisions', { draftId: draft.id, limit: 100, order: 'desc' }, { signal })),
    [draft.id, draft.revision],
  );
  return (
    <Dialog title="Revisions" size="side" onClose={onClose}>
      <Shown of={loaded}>
        {(revisions) => (
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
                  <Earlier draftId={draft.id} text={text} number={revision.number} onRestored={onRestored} />
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
  draftId,
  text,
  number,
  onRestored,
}: {
  draftId: string;
  text: DraftText;
  number: number;
  onRestored: () => void;
}): JSX.Element {
  const { error, attempt } = useAttempt();
  const loaded = useLoad(
    'revision',
    (signal) => api().getDraftRevision({ draftId, revision: String(number) }, { signal }),
    [draftId, number],
  );
  const restore = async (): Promise<void> => {
    // The screen says why the present text could not be saved.
    const isRestored = await text.restore(number);
    onRestored();
    if (isRestored) showToast(`Revision ${number} is restored. The earlier text stays in the revisions.`);
  };
  return (
    <Shown of={loaded} lines={3}>
      {({ bodyMd }) => (
        <div class="difference">
          {bodyMd === text.text ? (
            <p class="faint">The text is the same as the present one.</p>
          ) : (
            <>
              <p class="faint">Changes since revision {number}: red was removed, green was added.</p>
              <Difference before={bodyMd} after={text.text} />
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
