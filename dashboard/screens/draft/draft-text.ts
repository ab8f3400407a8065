/**
 * Holds the text of a draft while a person edits it: saves it after a pause, and keeps it in the browser until the
 * service has it. A text that was changed elsewhere meanwhile is never overwritten.
 */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type Draft, metaOf, PreconditionFailedError } from '../../../sdk/index.ts';
import { mayPass } from '../../state/load.ts';
import { api, noteRefusal } from '../../state/session.ts';

const pauseMs = 800;
/** Waits between attempts to save while the service does not accept the text. The last one repeats. */
const retriesMs = [500, 1_000, 2_000, 4_000, 8_000];
/** Wait before typed text is written to the store of the browser. */
const keepMs = 250;
/** Maximum number of sent texts that are remembered while it is not known whether the service has them. */
const maxSent = 4;

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
  /** Texts that were sent without a reply. The service may have stored one of them. */
  sent: readonly string[];
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
  /**
   * `retrying`: the service could not be reached, and the text is sent again. `refused`: the service does not accept
   * this text, and `error` says why.
   */
  state: 'saved' | 'unsaved' | 'saving' | 'retrying' | 'refused' | 'clash';
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
  const sent = useRef<readonly string[]>([]);
  const [state, setState] = useState<State>(() => {
    const kept = readKept(name);
    const isEdited = kept !== undefined && kept.text !== draft.bodyMd;
    if (isEdited) {
      saved.current = kept.base;
      sent.current = kept.sent;
    }
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
  const keeping = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const running = useRef<Promise<boolean> | undefined>(undefined);
  const failures = useRef(0);
  const isGone = useRef(false);
  const put = (part: Partial<State>): void => {
    latest.current = { ...latest.current, ...part };
    setState(latest.current);
  };

  const keepNow = useCallback((): void => {
    clearTimeout(keeping.current);
    keeping.current = undefined;
    const { text, state: now } = latest.current;
    if (now === 'saved') sessionStorage.removeItem(name);
    else keep(name, { text, base: saved.current, sent: sent.current });
  }, [name]);

  const save = useCallback(async (): Promise<boolean> => {
    clearTimeout(timer.current);
    while (running.current) await running.current;
    const { text, state: now } = latest.current;
    if (now === 'clash') return false;
    if (text === saved.current.text && sent.current.length === 0) {
      put({ state: 'saved', error: undefined });
      keepNow();
      return true;
    }
    if (now !== 'retrying') put({ state: 'saving', error: undefined });
    running.current = store(text);
    const isStored = await running.current;
    running.current = undefined;
    return isStored && latest.current.text === text;

    async function store(text: string): Promise<boolean> {
      try {
        const reply = await api().updateDraft({ draftId: draft.id, bodyMd: text }, { ifMatch: saved.current.etag });
        settle({ text, etag: metaOf(reply).etag ?? '', at: reply.updatedAt });
        return true;
      } catch (error) {
        if (error instanceof PreconditionFailedError) return meetClash(error);
        return fail(error as Error, text);
      }
    }

    /** Notes the text that the service has. Text that was typed meanwhile is saved next. */
    function settle(next: Saved): void {
      saved.current = next;
      sent.current = [];
      failures.current = 0;
      const isSaved = latest.current.text === next.text;
      put({ state: isSaved ? 'saved' : 'unsaved', savedAt: next.at, error: undefined });
      keepNow();
      if (!isSaved && !isGone.current) timer.current = setTimeout(() => void save(), pauseMs);
    }

    function fail(error: Error, text: string): false {
      noteRefusal(error);
      const isPassing = mayPass(error);
      if (isPassing) sent.current = [...sent.current.filter((each) => each !== text), text].slice(-maxSent);
      put({ state: isPassing ? 'retrying' : 'refused', error });
      keepNow();
      const waitMs = retriesMs[Math.min(failures.current++, retriesMs.length - 1)];
      if (isPassing && !isGone.current) timer.current = setTimeout(() => void save(), waitMs);
      return false;
    }

    async function meetClash(refusal: Error): Promise<boolean> {
      let current: Draft;
      try {
        current = await api().getDraft({ draftId: draft.id });
      } catch (error) {
        return fail(mayPass(error) ? (error as Error) : refusal, latest.current.text);
      }
      const base = saved.current.text;
      const next = toSaved(current);
      // Without a change by others, only something beside the text has changed, such as a flag, or the service has
      // stored a text of this screen although its reply was lost.
      const isOwn = [base, latest.current.text, ...sent.current].includes(next.text);
      if (isOwn) settle(next);
      else {
        saved.current = next;
        sent.current = [];
        put({ state: 'clash', error: undefined, clash: { base, theirs: next.text } });
        keepNow();
      }
      return isOwn && latest.current.text === next.text;
    }
  }, [draft.id, keepNow]);

  const change = useCallback(
    (text: string) => {
      const { state: now } = latest.current;
      if (now === 'clash') return;
      put({ text, state: now === 'retrying' ? now : 'unsaved' });
      keeping.current ??= setTimeout(keepNow, keepMs);
      if (now === 'retrying') return;
      clearTimeout(timer.current);
      timer.current = setTimeout(() => void save(), pauseMs);
    },
    [save, keepNow],
  );

  const resolve = useCallback(
    (text: string) => {
      put({ text, state: 'unsaved', clash: undefined });
      keepNow();
      void save();
    },
    [save, keepNow],
  );

  const adopt = useCallback(
    (next: Draft) => {
      clearTimeout(timer.current);
      saved.current = toSaved(next);
      sent.current = [];
      put({ text: next.bodyMd, savedAt: next.updatedAt, state: 'saved', error: undefined, clash: undefined });
      keepNow();
    },
    [keepNow],
  );

  // A newer text of the service is shown, unless the person has edits: saving these finds the clash. A service that
  // answers again gets the text at once.
  useEffect(() => {
    const isNewer = Date.parse(draft.updatedAt) > Date.parse(saved.current.at);
    if (running.current) return;
    if (latest.current.state === 'retrying') void save();
    else if (isNewer && latest.current.state === 'saved') adopt(draft);
  }, [draft, adopt, save]);

  // Text that an earlier screen kept is saved at once. Text that is left behind is saved when the screen closes.
  useEffect(() => {
    isGone.current = false;
    if (latest.current.state === 'unsaved') void save();
    return () => {
      isGone.current = true;
      clearTimeout(timer.current);
      keepNow();
      if (latest.current.state === 'unsaved' || latest.current.state === 'retrying') void save();
    };
  }, [save, keepNow]);

  useEffect(() => {
    const warn = (event: BeforeUnloadEvent): void => {
      keepNow();
      if (latest.current.state !== 'saved') event.preventDefault();
    };
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [keepNow]);

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
  return text === null ? undefined : { sent: [], ...(JSON.parse(text) as Omit<Kept, 'sent'>) };
}
