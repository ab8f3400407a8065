/**
 * Holds a form over an object of the service. What a person has changed stays when the object changes elsewhere, and is
 * kept in the browser until it is saved or discarded.
 */
import { useLayoutEffect, useState } from 'preact/hooks';
import { metaOf } from '../../sdk/index.ts';
import { isSame } from '../text/settings.ts';

interface Stored<T> {
  value: T;
  /** The version of `value`, for `If-Match`. */
  etag: string;
}

interface State<T> {
  /** What the changes are based on. */
  base: Stored<T>;
  mine: T;
  /** What the service has now, if someone else has changed it after `base`. */
  theirs?: Stored<T> | undefined;
  /** Whether the changes are from an earlier visit of the screen. */
  isRestored?: boolean;
}

export interface Edited<T> extends State<T> {
  isDirty: boolean;
  set: (value: T) => void;
  /** Notes that a reply has what was saved. */
  rebase: (reply: object) => void;
  /** Takes over what someone else has changed, and goes on with changes that `join` makes from it. */
  merge: (join: (theirs: T) => T) => void;
  /** Drops the changes. */
  discard: () => void;
}

/**
 * @param name name of the object in this browser
 * @param reply the object as the service returned it; undefined while it is loaded
 * @param read returns the part of the object that the form shows
 */
export function useEdited<R extends object, T>(
  name: string,
  reply: R | undefined,
  read: (reply: R) => T,
): Edited<T> | undefined {
  const [state, setState] = useState<State<T> | undefined>(() => restored<T>(name));
  const isDirty = state !== undefined && !isSame(state.mine, state.base.value);
  const stored = (of: object): Stored<T> => ({ value: read(of as R), etag: metaOf(of).etag ?? '' });
  useLayoutEffect(() => {
    if (!reply) return;
    const now = stored(reply);
    setState((before) => {
      if (!before) return { base: now, mine: now.value };
      if (isSame(now.value, before.base.value)) return { ...before, base: now, theirs: undefined };
      if (isSame(before.mine, before.base.value) || isSame(before.mine, now.value))
        return { base: now, mine: now.value };
      return { ...before, theirs: now };
    });
  }, [reply]);
  useLayoutEffect(() => {
    if (isDirty) sessionStorage.setItem(name, JSON.stringify({ base: state.base, mine: state.mine }));
    else if (state) sessionStorage.removeItem(name);
  }, [state, isDirty]);
  if (!state) return undefined;
  const discard = (): void => {
    const base = state.theirs ?? state.base;
    setState({ base, mine: base.value });
  };
  return {
    ...state,
    isDirty,
    set: (mine) => setState({ ...state, mine }),
    rebase: (of) =>
      setState((before) => {
        const base = stored(of);
        // What was typed while the service saved stays.
        const isTyped = before !== undefined && !isSame(before.mine, state.mine);
        return { base, mine: isTyped ? before.mine : base.value };
      }),
    merge: (join) => state.theirs && setState({ base: state.theirs, mine: join(state.theirs.value) }),
    discard,
  };
}

function restored<T>(name: string): State<T> | undefined {
  const text = sessionStorage.getItem(name);
  return text === null ? undefined : { ...(JSON.parse(text) as State<T>), isRestored: true };
}
