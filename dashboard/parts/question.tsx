/** Dialogs that several screens use: a question before something ends, and a secret that is shown once. */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useAttempt } from '../state/attempt.ts';
import { askBeforeEnd } from '../state/unsaved.ts';
import { Copy } from './copy.tsx';
import { Dialog } from './dialog.tsx';
import { ErrorBox } from './feedback.tsx';
import { type Overlap, OverlapField, TextField } from './fields.tsx';

/**
 * Asks before an action. The dialog stays open if the action fails.
 * @param action text of the button that does it
 * @param keep text of the button that does nothing
 * @param typed a name that the person must enter first
 * @param isHarmless whether the action can be undone
 */
export function Question({
  title,
  action,
  keep = 'Cancel',
  typed,
  isHarmless = false,
  onConfirm,
  onClose,
  children,
}: {
  title: string;
  action: string;
  keep?: string;
  typed?: { name: string; of: string };
  isHarmless?: boolean;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
  children: ComponentChildren;
}): JSX.Element {
  const [entered, setEntered] = useState('');
  const [isBusy, setBusy] = useState(false);
  const { error, attempt } = useAttempt();
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    await attempt(onConfirm);
    setBusy(false);
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        {children}
        {typed && (
          <TextField
            label={`Enter the name of the ${typed.of} to go on`}
            about={
              <>
                The name is <code>{typed.name}</code>.
              </>
            }
            value={entered}
            onChange={setEntered}
            input={{ 'data-first': true }}
          />
        )}
        {error && <ErrorBox error={error} />}
        <footer class="dialog-actions">
          <button type="button" {...(!typed && !isHarmless && { 'data-first': true })} onClick={onClose}>
            {keep}
          </button>
          <button
            type="submit"
            class={isHarmless ? 'primary' : 'danger'}
            disabled={isBusy || (typed !== undefined && entered.trim() !== typed.name.trim())}
          >
            {action}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

/** Asks how long the former secret still works before it is replaced. */
export function Replacement({
  title,
  label,
  onConfirm,
  onClose,
  children,
}: {
  title: string;
  label: string;
  onConfirm: (overlapHours: number) => Promise<unknown>;
  onClose: () => void;
  children: ComponentChildren;
}): JSX.Element {
  const [overlap, setOverlap] = useState<Overlap>('24');
  return (
    <Question title={title} action="Replace" isHarmless onConfirm={() => onConfirm(Number(overlap))} onClose={onClose}>
      {children}
      <OverlapField label={label} value={overlap} onChange={setOverlap} />
    </Question>
  );
}

/** Shows a secret that the service shows to no one again, until the person says that it is copied. */
export function ShownOnce({
  title,
  secret,
  label,
  onClose,
  children,
}: {
  title: string;
  secret: string;
  label: string;
  onClose: () => void;
  children?: ComponentChildren;
}): JSX.Element {
  useEffect(askBeforeEnd, []);
  return (
    <Dialog title={title}>
      <div class="stack">
        <p>Copy {label} now. It is not shown again.</p>
        <Copy text={secret} label={label} />
        {children}
      </div>
      <footer class="dialog-actions">
        <button type="button" class="primary" onClick={onClose}>
          I have copied it
        </button>
      </footer>
    </Dialog>
  );
}
