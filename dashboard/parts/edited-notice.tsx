/** Says above a form that its changes are from an earlier visit, or that someone else has changed the object. */
import type { ComponentChildren, JSX } from 'preact';
import type { Edited } from '../state/edited.ts';

/**
 * @param what the object, as the beginning of a sentence that ends with "changed elsewhere"
 * @param joined the button that goes on with the changes of the person: its text, and the new input of the form
 * @param children the changes of someone else
 */
export function EditedNotice<T>({
  of: { mine, theirs, isDirty, isRestored, merge, discard },
  what,
  joined = { text: 'Go on with mine', join: () => mine },
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
