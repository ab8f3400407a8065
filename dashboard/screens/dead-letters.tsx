/** Records that could not be applied, why, and applying one or several of them again. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Operations } from '../../sdk/index.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Facts } from '../parts/facts.tsx';
import { ErrorBox } from '../parts/feedback.tsx';
import { Time } from '../parts/time.tsx';
import { useAttempt } from '../state/attempt.ts';
import { noteChange } from '../state/live.ts';
import { api, mayUse } from '../state/session.ts';
import { showToast } from '../state/toasts.ts';
import { count } from '../text/words.ts';

type List = Operations['listDeadLetters']['reply'];
type Letter = List['deadLetters'][number];
type Replayed = Operations['replayDeadLetters']['reply']['replayed'][number];

/** Applies all records again, or those with one error, and says what came of them. */
async function applyAll(error?: string): Promise<void> {
  const outcomes = { applied: 0, failed: 0, pending: 0 };
  let cursor: string | null | undefined;
  do {
    const { replayed, nextCursor } = await api().replayDeadLetters({
      all: true,
      ...(error !== undefined && { error }),
      ...(cursor && { cursor }),
    });
    for (const { outcome } of replayed) outcomes[outcome] += 1;
    cursor = nextCursor;
  } while (cursor);
  const { applied, failed, pending } = outcomes;
  const rest = `${failed > 0 ? `, ${failed} failed again` : ''}${pending > 0 ? `, ${pending} not tried yet` : ''}`;
  showToast(`${count(applied, 'record')} applied${rest}.`);
  noteChange();
}

export function DeadLetterList({
  of: { deadLetters, total },
  onChange,
}: {
  of: List;
  onChange: () => void;
}): JSX.Element | null {
  const { error: fault, attempt } = useAttempt();
  const [isBusy, setBusy] = useState(false);
  const [chosen, setChosen] = useState<Letter | undefined>(undefined);
  // The list has the newest state of a record that is tried again.
  const opened = chosen && (deadLetters.find((each) => placeOf(each) === placeOf(chosen)) ?? chosen);
  const apply = async (): Promise<void> => {
    setBusy(true);
    await attempt(applyAll);
    setBusy(false);
    onChange();
  };
  return (
    <>
      {total > 0 && (
        <section class="card inbox-group dead-letters" aria-label="Records that could not be applied">
          <h2>
            Records that could not be applied <span class="number">{total}</span>
          </h2>
          <ul>
            {deadLetters.map((letter) => (
              <li key={placeOf(letter)}>
                <span>{letter.subject}</span>
                <Time at={letter.at} />
                {letter.attempts > 1 && <span class="faint">tried {letter.attempts} times</span>}
                <button
                  type="button"
                  class="small"
                  aria-label={`Details of ${letter.subject}`}
                  onClick={() => setChosen(letter)}
                >
                  Details
                </button>
                <span class="bad-text wide-line">{letter.error}</span>
              </li>
            ))}
            {total > deadLetters.length && (
              <li class="faint">and {count(total - deadLetters.length, 'more record')}</li>
            )}
            {mayUse('repos:write') && (
              <li>
                <button type="button" disabled={isBusy} onClick={() => void apply()}>
                  {isBusy ? 'Applying…' : 'Apply all again'}
                </button>
                <span class="faint">Do this after an update that removes the cause.</span>
              </li>
            )}
          </ul>
          {fault && <ErrorBox error={fault} />}
        </section>
      )}
      {opened && (
        <Details
          letter={opened}
          isAlone={!deadLetters.some((each) => each !== opened && each.error === opened.error)}
          onChange={onChange}
          onClose={() => setChosen(undefined)}
        />
      )}
    </>
  );
}

/** @param isAlone whether no other record of the list has the same error */
function Details({
  letter,
  isAlone,
  onChange,
  onClose,
}: {
  letter: Letter;
  isAlone: boolean;
  onChange: () => void;
  onClose: () => void;
}): JSX.Element {
  const { partition, seq, index, at, subject, repository, error, attempts } = letter;
  const { error: fault, attempt } = useAttempt();
  const [isBusy, setBusy] = useState(false);
  const [replayed, setReplayed] = useState<Replayed | undefined>(undefined);
  const run = async (act: () => Promise<unknown>): Promise<void> => {
    setBusy(true);
    await attempt(act);
    setBusy(false);
    onChange();
  };
  const applyOne = async (): Promise<void> => {
    const reply = await api().replayDeadLetters({ partition, seq, index });
    setReplayed(reply.replayed[0]);
    noteChange();
  };
  const applySame = async (): Promise<void> => {
    await applyAll(error);
    onClose();
  };
  const isGone = replayed?.outcome === 'applied';
  return (
    <Dialog title="Record that could not be applied" size="side" onClose={onClose}>
      <p class="outcome">
        <Time at={at} />
      </p>
      {!isGone && <p class="box bad">{replayed?.error ?? error}</p>}
      <div role="status">{replayed && <p class={isGone ? 'box' : 'box warn'}>{outcomeWords[replayed.outcome]}</p>}</div>
      <Facts
        of={[
          ['Record', subject],
          ...(repository === null ? [] : [['Repository', repository] as const]),
          ['Attempts', attempts],
          ['Place', placeOf(letter)],
        ]}
      />
      {fault && <ErrorBox error={fault} />}
      <p class="faint">
        The text of the record is not shown. A host can also send a delivery again, and then it counts as new.
      </p>
      {mayUse('repos:write') && !isGone && (
        <footer class="dialog-actions">
          {!isAlone && (
            <button type="button" disabled={isBusy} onClick={() => void run(applySame)}>
              Apply all with this reason again
            </button>
          )}
          <button type="button" class="primary" data-first disabled={isBusy} onClick={() => void run(applyOne)}>
            {isBusy ? 'Applying…' : 'Apply again'}
          </button>
        </footer>
      )}
    </Dialog>
  );
}

const outcomeWords: Readonly<Record<Replayed['outcome'], string>> = {
  applied: 'Applied. The record has left the list.',
  failed: 'It failed again, and stays in the list.',
  pending: 'It was not tried yet. The list shows what comes of it.',
};

/** Names a record as the command line does. */
function placeOf({ partition, seq, index }: Letter): string {
  return `${partition} ${seq}/${index}`;
}
