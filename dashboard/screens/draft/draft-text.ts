/**
 * Holds the text of a draft while a person edits it: saves it after a pause, and keeps it in the browser until the
 * service has it. A text that was changed elsewhere meanwhile is never overwritten.
 */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type Draft, metaOf, PreconditionFailedError } from '../../../sdk/index.ts';
import { api, noteRefusal } from '../../state/session.ts';

const pauseMs = 800;
const retryMs = 5_000;

/** The text that the service has, and the tag that names this state of it. */
interface Saved {
  text: string;
  etag: string;
  at: string;
}

/** A text that the service does not have yet, with the state that it was made from. */
interface Kept {
  text: string;
  base: Saved;
}

/** A text that was saved elsewhere after the person began to edit. */
export interface Clash {
  base: string;
  theirs: string;
}

export interface DraftText {
  text: string;
  /** Time of the state that the service has. */
  savedAt: string;
  state: 'saved' | 'unsaved' | 'saving' | 'failed' | 'clash';
  error: Error | undefined;
  clash: Clash | undefined;
  change: (text: string) => void;
  /** Saves now. Resolves when the service has the text, with false if it has not. */
  save: () => Promise<boolean>;
  /** Ends a clash with the text that the person chose. */
  resolve: (text: string) => void;
  /** Takes over a text that the service has made, such as a restored revision. */
  adopt: (draft: Draft) => void;
}

type State = Pick<DraftText, 'text' | 'savedAt' | 'state' | 'error' | 'clash'>;

/** @param draft the draft as it was read last; a newer one replaces a text that has no edits */
export function useDraftText(draft: Draft): DraftText {
  const name = `tidings-draft-${draft.id}`;
  const saved = useRef<Saved>(toSaved(draft));
  const [state, setState] = useState<State>(() => {
    const kept = readKept(name);
    const isEdited = kept !== undefined && kept.text !== draft.bodyMd;
    if (isEdited) saved.current = kept.base;
    return {
      text: isEdited ? kept.text : draft.bodyMd,
      savedAt: draft.updatedAt,
      state: isEdited ? 'unsaved' : 'saved',
      error: undefined,
      clash: undefined,
    };
  });
  const latest = useRef(state);
  latest.current = state;
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const running = useRef<Promise<boolean> | undefined>(undefined);
  const isGone = useRef(false);
  const put = (part: Partial<State>): void => {
    latest.current = { ...latest.current, ...part };
    setState(latest.current);
  };

  const save = useCallback(async (): Promise<boolean> => {
    clearTimeout(timer.current);
    if (running.current) await running.current;
    const { text, state: now } = latest.current;
    if (now === 'clash') return false;
    if (text === saved.current.text) {
      sessionStorage.removeItem(name);
      put({ state: 'saved', error: undefined });
      return true;
    }
    put({ state: 'saving', error: undefined });
    running.current = store(text);
    const isStored = await running.current;
    running.current = undefined;
    return isStored && latest.current.text === text;

    async function store(text: string): Promise<boolean> {
      try {
        const reply = await api().updateDraft({ draftId: draft.id, bodyMd: text }, { ifMatch: saved.current.etag });
        saved.current = { text, etag: metaOf(reply).etag ?? '', at: reply.updatedAt };
        if (latest.current.text === text) {
          sessionStorage.removeItem(name);
          put({ state: 'saved', savedAt: reply.updatedAt });
        } else {
          keep(name, { text: latest.current.text, base: saved.current });
          put({ state: 'unsaved', savedAt: reply.updatedAt });
        }
        return true;
      } catch (error) {
        if (error instanceof PreconditionFailedError) return meetClash(error);
        noteRefusal(error);
        put({ state: 'failed', error: error as Error });
        if (!isGone.current) timer.current = setTimeout(() => void save(), retryMs);
        return false;
      }
    }

    async function meetClash(refusal: Error): Promise<boolean> {
      try {
        const current = await api().getDraft({ draftId: draft.id });
        const base = saved.current.text;
        saved.current = toSaved(current);
        if (current.bodyMd === latest.current.text) put({ state: 'saved' });
        else if (current.bodyMd === base) {
          // Only something beside the text has changed, such as a flag.
          put({ state: 'unsaved' });
          timer.current = setTimeout(() => void save(), 0);
        } else put({ state: 'clash', clash: { base, theirs: current.bodyMd } });
      } catch {
        put({ state: 'failed', error: refusal });
      }
      return false;
    }
  }, [draft.id, name]);

  const change = useCallback(
    (text: string) => {
      if (latest.current.state === 'clash') return;
      put({ text, state: 'unsaved' });
      keep(name, { text, base: saved.current });
      clearTimeout(timer.current);
      timer.current = setTimeout(() => void save(), pauseMs);
    },
    [name, save],
  );

  const resolve = useCallback(
    (text: string) => {
      put({ text, state: 'unsaved', clash: undefined });
      keep(name, { text, base: saved.current });
      void save();
    },
    [name, save],
  );

  const adopt = useCallback(
    (next: Draft) => {
      clearTimeout(timer.current);
      saved.current = toSaved(next);
      sessionStorage.removeItem(name);
      put({ text: next.bodyMd, savedAt: next.updatedAt, state: 'saved', error: undefined, clash: undefined });
    },
    [name],
  );

  // A newer text of the service is shown unless the person has edits of their own; saving those meets the clash.
  useEffect(() => {
    const isNewer = Date.parse(draft.updatedAt) > Date.parse(saved.current.at);
    if (isNewer && latest.current.state === 'saved' && !running.current) adopt(draft);
  }, [draft, adopt]);

  // Text that an earlier screen kept is saved at once. Text that is left behind is saved when the screen closes.
  useEffect(() => {
    isGone.current = false;
    if (latest.current.state === 'unsaved') void save();
    return () => {
      isGone.current = true;
      clearTimeout(timer.current);
      if (latest.current.state === 'unsaved') void save();
    };
  }, [save]);

  useEffect(() => {
    const warn = (event: BeforeUnloadEvent): void => {
      if (latest.current.state !== 'saved') event.preventDefault();
    };
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, []);

  return { ...state, change, save, resolve, adopt };
}

function toSaved(draft: Draft): Saved {
  return { text: draft.bodyMd, etag: metaOf(draft).etag ?? '', at: draft.updatedAt };
}

function keep(name: string, kept: Kept): void {
  try {
    sessionStorage.setItem(name, JSON.stringify(kept));
  } catch {
    // The store of the browser is full. The text is still on the screen and is saved after the pause.
  }
}

function readKept(name: string): Kept | undefined {
  const text = sessionStorage.getItem(name);
  return text === null ? undefined : (JSON.parse(text) as Kept);
}
