/**
 * Parts of forms in dialogs whose input is kept: what is said above the form when its changes are from an earlier visit or
 * someone else has changed the object, and the buttons below.
 */
import type { ComponentChildren, JSX } from 'preact';
import type { Edited } from '../state/edited.ts';
import { merged } from '../text/settings.ts';

/**
 * @param what the object, as the beginning of a sentence that ends with "changed elsewhere"
 * @param joined the button that goes on with the changes of the person: its text, and the new input of the form
 * @param children the changes of someone else
 */
export function EditedNotice<T extends object>({
  of: { base, mine, theirs, isDirty, isRestored, merge, discard },
  what,
  joined = { text: 'Go on with mine', join: (value) => merged(base.value, mine, value) },
  children,
}: {
  of: Edited<T>;
  what: string;
  joined?: { text: string; join: (theirs: T) => T };
  children?: ComponentChildren;
}): JSX.Element | null {
  if (theirs)
    return (
      <div class="box warn" role="alert">
        <div>
          <p>
            <strong>{what} changed elsewhere.</strong> Your changes are still here.
          </p>
          {children}
          <div class="row-actions">
            <button type="button" class="small" onClick={() => merge(joined.join)}>
              {joined.text}
            </button>
            <button type="button" class="small" onClick={discard}>
              Discard mine
            </button>
          </div>
        </div>
      </div>
    );
  if (!isRestored || !isDirty) return null;
  return (
    <div class="box warn" role="status">
      <div>
        <p>Your changes from before are here again. They are not saved yet.</p>
        <button type="button" class="small" onClick={discard}>
          Discard them
        </button>
      </div>
    </div>
  );
}

/** The buttons below a form in a dialog. The first one drops the input and closes the dialog. */
export function EditedActions<T>({
  of: { base, isDirty, theirs, finish },
  refused,
  save,
  isBlocked,
  onClose,
}: {
  of: Edited<T>;
  /** The version that the service refused to change, because it has a newer one. */
  refused: string | undefined;
  /** Text of the button that saves. */
  save: string;
  /** Whether the input cannot be saved now. */
  isBlocked: boolean;
  onClose: () => void;
}): JSX.Element {
  // Without `theirs`, what changed is not among the fields, or the person has decided.
  const isAgain = refused !== undefined && refused !== base.etag && !theirs;
  return (
    <footer class="dialog-actions">
      {isAgain && (
        <p class="box warn" role="alert">
          This was changed elsewhere meanwhile. Press Save again.
        </p>
      )}
      <button
        type="button"
        onClick={() => {
          finish();
          onClose();
        }}
      >
        {isDirty ? 'Discard' : 'Cancel'}
      </button>
      <button type="submit" class="primary" disabled={isBlocked || theirs !== undefined}>
        {save}
      </button>
    </footer>
  );
}
