/**
 * Holds the texts of drafts while a person edits them. A text is saved after a pause, and is kept in the browser until
 * the service has it, also while other screens are open. A text that was changed elsewhere is never overwritten.
 */
import { signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { type Draft, metaOf, PreconditionFailedError } from '../../sdk/index.ts';
import { api, isPassing, noteRefusal } from './session.ts';
import { showToast } from './toasts.ts';
import { dropInput, inputOf, keepInput, unsaved } from './unsaved.ts';

const pauseMs = 800;
/** Waits between attempts to save while the service does not accept the text. The last one repeats. */
const retriesMs = [500, 1_000, 2_000, 4_000, 8_000];
/** Wait before typed text is written to the store of the browser. */
const keepMs = 250;
/** Maximum number of sent texts that are remembered while it is not known whether the service has them. */
const maxSent = 200;
/** Number of attempts to save a text that is refused although no one else has changed the draft. */
const ownAttempts = 3;
/** Number of texts in memory above which saved texts that are not on the screen are dropped. */
const maxTexts = 20;

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
  /** Fingerprints of texts that were sent without a reply. The service may have stored one of them. */
  sent: readonly string[];
}

/** A text that was saved elsewhere after the person began to edit. */
export interface Clash {
  base: string;
  theirs: string;
}

interface State {
  text: string;
  /** Time of the state that the service has. */
  savedAt: string;
  /**
   * `retrying`: the text could not be saved for a cause that may pass, and is sent again. `refused`: the service does
   * not accept this text, and `error` says why.
   */
  state: 'saved' | 'unsaved' | 'saving' | 'retrying' | 'refused' | 'clash';
  error: Error | undefined;
  clash: Clash | undefined;
}

export interface DraftText extends State, Pick<EditedText, 'change' | 'save' | 'resolve' | 'adopt' | 'restore'> {}

/** The texts of this session by draft: those that are not saved, and some that were on the screen before. */
const texts = new Map<string, EditedText>();

class EditedText {
  readonly state;
  /** Names the notes in messages about the text. */
  title: string;
  private readonly draftId: string;
  private readonly name: string;
  private saved: Saved;
  private sent: readonly string[];
  /** The other text of a clash. */
  private theirs: Saved | undefined;
  /** The draft as a screen has read it while the text was not saved. */
  private newest: Draft | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private keeping: ReturnType<typeof setTimeout> | undefined;
  private running: Promise<boolean> | undefined;
  private failures = 0;
  private isShown = false;
  private isOver = false;

  constructor(draftId: string, { text, base, sent }: Kept, title: string) {
    this.draftId = draftId;
    this.name = nameOf(draftId);
    this.title = title;
    this.saved = base;
    this.sent = sent;
    this.state = signal<State>({
      text,
      savedAt: base.at,
      state: text === base.text && sent.length === 0 ? 'saved' : 'unsaved',
      error: undefined,
      clash: undefined,
    });
  }

  /** Whether the text may leave the memory. */
  get isIdle(): boolean {
    return !this.isShown && !this.running && this.state.peek().state === 'saved';
  }

  readonly change = (text: string): void => {
    const { state } = this.state.peek();
    if (state === 'clash') return;
    this.put({ text, state: state === 'retrying' ? state : 'unsaved' });
    if (state === 'saved') this.keepNow();
    else this.keeping ??= setTimeout(() => this.keepNow(), keepMs);
    if (state !== 'retrying') this.saveAfter(pauseMs);
  };

  /** Saves now. Resolves to whether the service has the text. */
  readonly save = async (): Promise<boolean> => {
    clearTimeout(this.timer);
    while (this.running) await this.running;
    const { text, state } = this.state.peek();
    if (state === 'clash' || this.isOver) return false;
    if (text === this.saved.text && this.sent.length === 0) {
      this.put({ state: 'saved', error: undefined });
      this.keepNow();
      this.meetNewest();
      return this.state.peek().text === text;
    }
    if (state !== 'retrying') this.put({ state: 'saving', error: undefined });
    this.running = this.send(text);
    const isStored = await this.running;
    this.running = undefined;
    this.meetNewest();
    return isStored && this.state.peek().text === text;
  };

  /** Ends a clash with the text that the person chose. */
  readonly resolve = (text: string): void => {
    this.saved = this.theirs ?? this.saved;
    this.put({ text, savedAt: this.saved.at, state: 'unsaved', clash: undefined });
    this.keepNow();
    void this.save();
  };

  /** Takes over a text that the service has made. */
  readonly adopt = (next: Draft): void => {
    clearTimeout(this.timer);
    this.saved = toSaved(next);
    this.sent = [];
    this.put({ text: next.bodyMd, savedAt: next.updatedAt, state: 'saved', error: undefined, clash: undefined });
    this.keepNow();
  };

  /** Saves the text, then replaces it by an earlier one. Resolves to false if the text could not be saved. */
  readonly restore = async (revision: number): Promise<boolean> => {
    if (!(await this.save())) return false;
    const { draftId } = this;
    await api().restoreDraft({ draftId, revision }, { ifMatch: this.saved.etag });
    // Text that was typed meanwhile stays, and saving it finds the clash.
    this.meet(await api().getDraft({ draftId }));
    return true;
  };

  /**
   * Notes the draft as it was read. A newer text is shown, unless the person has edits: saving these finds the clash. A
   * service that answers again gets the text at once.
   */
  meet(draft: Draft): void {
    const { state } = this.state.peek();
    const isBusy = this.running !== undefined || state !== 'saved';
    this.newest = isBusy ? draft : undefined;
    if (!this.running && state === 'retrying') void this.save();
    if (isBusy) return;
    const newerBy = Date.parse(draft.updatedAt) - Date.parse(this.saved.at);
    if (newerBy > 0) this.adopt(draft);
    // Something beside the text may have changed, such as a flag.
    else if (draft.bodyMd === this.saved.text) this.saved = newerBy === 0 ? toSaved(draft) : this.saved;
    else void this.readAgain();
  }

  private meetNewest(): void {
    if (this.newest && this.state.peek().state === 'saved') this.meet(this.newest);
  }

  /**
   * Reads the draft after a read that had another text and an earlier time: either that read began before the last
   * saving, or the clock of the service was set back.
   */
  private async readAgain(): Promise<void> {
    const before = this.saved;
    try {
      const next = await api().getDraft({ draftId: this.draftId });
      const isQuiet = this.saved === before && !this.running && this.state.peek().state === 'saved' && !this.isOver;
      if (isQuiet && next.bodyMd !== before.text) this.adopt(next);
    } catch {
      // The screen reads the draft too, and shows why it cannot be read.
    }
  }

  /** Notes that a screen shows the text. Returns a function that notes that it does not any more. */
  show(): () => void {
    this.isShown = true;
    if (this.state.peek().state === 'unsaved') void this.save();
    return () => {
      this.isShown = false;
      void this.leave();
    };
  }

  /** Writes what was typed to the store of the browser. */
  flush(): void {
    if (this.keeping !== undefined) this.keepNow();
  }

  /** Ends all work on the text, because the session has ended. What is not saved stays in the store of the browser. */
  end(): void {
    this.flush();
    clearTimeout(this.timer);
    this.isOver = true;
  }

  private async leave(): Promise<void> {
    const isSaved = await this.save();
    if (isSaved || this.isShown || this.isOver) return;
    showToast(`${this.title}: kept here, but not saved.`, { href: hrefOf(this.draftId), text: 'Go back' });
  }

  private put(part: Partial<State>): void {
    this.state.value = { ...this.state.peek(), ...part };
  }

  private keepNow(): void {
    clearTimeout(this.keeping);
    this.keeping = undefined;
    if (this.isOver) return;
    const { name, title, draftId } = this;
    const { text, state } = this.state.peek();
    if (state === 'saved') return dropInput(name);
    const isSaving = state === 'unsaved' || state === 'saving';
    const kept: Kept = { text, base: this.saved, sent: this.sent };
    keepInput({ name, title, href: hrefOf(draftId), isSaving }, kept);
  }

  private saveAfter(ms: number): void {
    clearTimeout(this.timer);
    if (!this.isOver) this.timer = setTimeout(() => void this.save(), ms);
  }

  private async send(text: string, attempts = ownAttempts): Promise<boolean> {
    const { draftId } = this;
    const print = fingerprint(text);
    this.sent = [...this.sent.filter((each) => each !== print), print].slice(-maxSent);
    this.keepNow();
    try {
      const reply = await api().updateDraft({ draftId, bodyMd: text }, { ifMatch: this.saved.etag });
      this.settle({ text, etag: metaOf(reply).etag ?? '', at: reply.updatedAt });
      return true;
    } catch (error) {
      if (error instanceof PreconditionFailedError) return this.meetClash(error, text, attempts - 1);
      return this.fail(error as Error, text);
    }
  }

  /** Notes the text that the service has. Text that was typed meanwhile is saved next. */
  private settle(next: Saved): void {
    this.saved = next;
    this.sent = [];
    this.failures = 0;
    const isSaved = this.state.peek().text === next.text;
    this.put({ state: isSaved ? 'saved' : 'unsaved', savedAt: next.at, error: undefined });
    this.keepNow();
    if (!isSaved) this.saveAfter(pauseMs);
  }

  private fail(error: Error, text: string): false {
    noteRefusal(error);
    const mayPass = isPassing(error);
    const isTyped = this.state.peek().text !== text;
    // A refused text is not stored. What was typed meanwhile may be accepted.
    if (!mayPass) this.sent = this.sent.filter((each) => each !== fingerprint(text));
    this.put({ state: mayPass ? 'retrying' : isTyped ? 'unsaved' : 'refused', error });
    this.keepNow();
    const waitMs = mayPass ? retriesMs[Math.min(this.failures++, retriesMs.length - 1)] : pauseMs;
    if (mayPass || isTyped) this.saveAfter(waitMs as number);
    return false;
  }

  private async meetClash(refusal: Error, text: string, attempts: number): Promise<boolean> {
    let current: Draft;
    try {
      current = await api().getDraft({ draftId: this.draftId });
    } catch (error) {
      return this.fail(isPassing(error) ? (error as Error) : refusal, text);
    }
    const next = toSaved(current);
    // The state is the one that was named. Something between changes the tags, so that no text can be saved.
    if (next.etag === this.saved.etag) return this.fail(refusal, text);
    const base = this.saved.text;
    // Without a change by others, only something beside the text has changed, such as a flag, or the service has stored
    // a text of this screen although its reply was lost.
    const isOwn =
      [base, text, this.state.peek().text].includes(next.text) || this.sent.includes(fingerprint(next.text));
    if (!isOwn) {
      // Until the person has decided, the text stays based on the old state. So a page that is reloaded finds the clash
      // again.
      this.theirs = next;
      this.sent = [];
      this.put({ state: 'clash', error: undefined, clash: { base, theirs: next.text } });
      this.keepNow();
      return false;
    }
    if (next.text !== text && attempts > 0) {
      this.saved = next;
      this.sent = [];
      return this.send(text, attempts);
    }
    this.settle(next);
    return next.text === text;
  }
}

/**
 * @param draft the draft as it was read last; a newer one replaces a text that has no edits
 * @param title names the notes in messages about the text
 */
export function useDraftText(draft: Draft, title: string): DraftText {
  const one = useMemo(() => textOf(draft, title), [draft.id]);
  one.title = title;
  useEffect(() => one.meet(draft), [one, draft]);
  useEffect(() => one.show(), [one]);
  const { change, save, resolve, adopt, restore } = one;
  return { ...one.state.value, change, save, resolve, adopt, restore };
}

/** Returns the text of a draft that is kept and not saved; undefined if there is none. */
export function keptTextOf(draftId: string): string | undefined {
  return (inputOf(nameOf(draftId)) as Kept | undefined)?.text;
}

/** Forgets the text of a draft that is kept and not saved. */
export function dropText(draftId: string): void {
  texts.get(draftId)?.end();
  texts.delete(draftId);
  dropInput(nameOf(draftId));
}

/** Saves all texts now that are not saved. Resolves when each attempt has ended. */
export async function saveTexts(): Promise<void> {
  await Promise.all([...texts.values()].map((one) => one.save()));
}

/** Saves the texts that an earlier session or page of this tab has left. */
export function resumeTexts(): void {
  for (const { name, title } of unsaved.peek()) {
    const draftId = name.startsWith(prefix) ? name.slice(prefix.length) : undefined;
    const kept = draftId !== undefined && !texts.has(draftId) && (inputOf(name) as Kept | undefined);
    if (draftId && kept) texts.set(draftId, new EditedText(draftId, kept, title));
  }
  void saveTexts();
}

/** Ends the work on all texts, since the session has ended. */
export function forgetTexts(): void {
  for (const one of texts.values()) one.end();
  texts.clear();
}

function textOf(draft: Draft, title: string): EditedText {
  const { id, bodyMd } = draft;
  const base = toSaved(draft);
  const kept = (inputOf(nameOf(id)) as Kept | undefined) ?? { text: bodyMd, base, sent: [] };
  const one = texts.get(id) ?? new EditedText(id, kept, title);
  texts.delete(id);
  texts.set(id, one);
  for (const [other, { isIdle }] of texts) if (texts.size > maxTexts && other !== id && isIdle) texts.delete(other);
  return one;
}

const prefix = 'draft:';

function nameOf(draftId: string): string {
  return prefix + draftId;
}

function hrefOf(draftId: string): string {
  return `/app/drafts/${draftId}`;
}

function toSaved(draft: Draft): Saved {
  return { text: draft.bodyMd, etag: metaOf(draft).etag ?? '', at: draft.updatedAt };
}

/** Returns a short value by which a text is recognized. */
function fingerprint(text: string): string {
  let [a, b] = [0x811c9dc5, 0x9e3779b9];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x85ebca6b) ^ (b >>> 13);
  }
  return `${text.length}.${a >>> 0}.${b >>> 0}`;
}

// Text that was typed a moment ago may not be in the store of the browser yet.
addEventListener('pagehide', () => {
  for (const one of texts.values()) one.flush();
});
