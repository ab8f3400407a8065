/**
 * Holds a form over an object of the service. The changes of a person stay when the object changes elsewhere or the form
 * is closed, until they are saved or discarded.
 */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useLocation, useSearch } from 'wouter-preact';
import { metaOf } from '../../sdk/index.ts';
import { isSame } from '../text/settings.ts';
import { base, session } from './session.ts';
import { showToast } from './toasts.ts';
import { dropInput, inputOf, keepInput } from './unsaved.ts';

/** The part of an object that a form shows, as the service has it. */
export interface Stored<T> {
  value: T;
  /** The version of the object, for `If-Match`; an empty text if it has none. */
  etag: string;
}

/** Takes the version of an object from the reply that has it. */
export function storedOf<T>(reply: object, value: T): Stored<T> {
  return { value, etag: metaOf(reply).etag ?? '' };
}

interface State<T> {
  /** The state that the changes are based on. */
  base: Stored<T>;
  mine: T;
  /** The state that the service has now, if someone else has changed it after `base`. */
  theirs?: Stored<T> | undefined;
  /** Whether the changes are from an earlier visit of the form. */
  isRestored?: boolean;
}

export interface Edited<T> extends State<T> {
  isDirty: boolean;
  set: (value: T) => void;
  /** Notes what the service has after it has saved the changes. */
  rebase: (stored: Stored<T>) => void;
  /** Takes over what someone else has changed, and goes on with changes that `join` makes from it. */
  merge: (join: (theirs: T) => T) => void;
  /** Drops the changes. */
  discard: () => void;
  /** Forgets the changes before the form closes, because they are saved or dropped. */
  finish: () => void;
}

/** @param isSecret whether the form may have secrets, which are not written to the disk */
export function useEdited<T>(
  { name, title, isSecret = false }: { name: string; title: string; isSecret?: boolean },
  stored: Stored<T> | undefined,
): Edited<T> | undefined {
  const [state, setState] = useState<State<T> | undefined>(
    () => restored<T>(name) ?? (stored && { base: stored, mine: stored.value }),
  );
  const [path] = useLocation();
  const search = useSearch();
  const href = search === '' ? path : `${path}?${search}`;
  const isDirty = state !== undefined && !isSame(state.mine, state.base.value);
  const isKept = useRef(false);
  useLayoutEffect(() => {
    if (!stored) return;
    setState((before) => {
      if (!before) return { base: stored, mine: stored.value };
      if (isSame(stored.value, before.base.value)) return { ...before, base: stored, theirs: undefined };
      if (isSame(before.mine, before.base.value) || isSame(before.mine, stored.value))
        return { base: stored, mine: stored.value };
      return { ...before, theirs: stored };
    });
  }, [stored]);
  useLayoutEffect(() => {
    isKept.current = isDirty;
    if (isDirty) keepInput({ name, title, href }, { base: state.base, mine: state.mine }, isSecret);
    else if (state) dropInput(name);
  }, [state, isDirty]);
  useEffect(
    () => () => {
      if (!isKept.current || typeof session.peek() !== 'object') return;
      const isElsewhere = location.pathname !== base + path;
      showToast(`${title}: kept here, but not saved.`, isElsewhere ? { href, text: 'Go back' } : undefined);
    },
    [],
  );
  const finish = (): void => {
    isKept.current = false;
    dropInput(name);
  };
  if (!state) return undefined;
  const discard = (): void => {
    const now = state.theirs ?? state.base;
    setState({ base: now, mine: now.value });
  };
  return {
    ...state,
    isDirty,
    set: (mine) => setState((before) => ({ ...(before ?? state), mine })),
    rebase: (saved) =>
      setState((before) => {
        // Input that was typed during the save stays.
        const isTyped = before !== undefined && !isSame(before.mine, state.mine);
        return { base: saved, mine: isTyped ? before.mine : saved.value };
      }),
    merge: (join) => state.theirs && setState({ base: state.theirs, mine: join(state.theirs.value) }),
    discard,
    finish,
  };
}

function restored<T>(name: string): State<T> | undefined {
  const input = inputOf(name) as State<T> | undefined;
  return input && { ...input, isRestored: true };
}
