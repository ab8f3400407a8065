/**
 * Keeps input until it is saved or discarded, also while other screens are open. Meanwhile the browser asks before it
 * closes or reloads the tab.
 */
import { effect, signal } from '@preact/signals';
import { session } from './session.ts';

/** A form or a text whose input is not saved. */
export interface UnsavedForm {
  /** Name of the form in this browser. */
  name: string;
  /** What the form is about, such as "Automation of acme/rocket". */
  title: string;
  /** Address of the form. */
  href: string;
  /** Whether the input is being saved without an action of the person. */
  isSaving?: boolean;
}

interface Kept extends UnsavedForm {
  input: unknown;
}

const prefix = 'tidings-form:';
/** Id of the key whose input this is. The input of another key stays in the store of the browser until it signs in. */
let owner = '';
const inputs = new Map<string, unknown>();

/** The forms whose input is not saved. */
export const unsaved = signal<readonly UnsavedForm[]>([]);

function note({ input, ...form }: Kept): void {
  inputs.set(form.name, input);
  const before = unsaved.peek().find(({ name }) => name === form.name);
  if (before?.href === form.href && before.title === form.title && before.isSaving === form.isSaving) return;
  unsaved.value = [...unsaved.peek().filter((each) => each !== before), form];
}

function placeOf(name: string): string {
  return `${prefix}${owner}:${name}`;
}

/** Whether a form has input that is not saved. */
export function isFormUnsaved(name: string): boolean {
  return unsaved.value.some((form) => form.name === name);
}

/** Returns the input of a form that was kept; undefined if there is none. */
export function inputOf(name: string): unknown {
  return inputs.get(name);
}

/** @param isSecret whether the input may have secrets, which are kept in memory only: not after the tab is reloaded */
export function keepInput(form: UnsavedForm, input: unknown, isSecret = false): void {
  note({ ...form, input });
  if (isSecret) return;
  try {
    sessionStorage.setItem(placeOf(form.name), JSON.stringify({ ...form, input }));
  } catch {
    // The store of the browser is full. The input stays in memory, and an older one must not come back.
    sessionStorage.removeItem(placeOf(form.name));
  }
}

/** Forgets the input of a form, because it was saved or discarded. */
export function dropInput(name: string): void {
  if (!inputs.delete(name)) return;
  sessionStorage.removeItem(placeOf(name));
  unsaved.value = unsaved.peek().filter((form) => form.name !== name);
}

/** Takes over what was entered with the key of the session. Nothing of another key is shown. */
export function claimInput(): void {
  const now = session.peek();
  if (typeof now === 'string' || now.key.id === owner) return;
  owner = now.key.id;
  inputs.clear();
  unsaved.value = [];
  for (const [place, text] of Object.entries(sessionStorage as Record<string, string>)) {
    if (place.startsWith(placeOf(''))) note(JSON.parse(text) as Kept);
  }
}

/** Forgets the input of all forms of the key. */
export function dropAllInput(): void {
  for (const name of [...inputs.keys()]) dropInput(name);
}

/** Makes the browser ask, in words of its own, before the tab ends. Returns a function that stops this. */
export function askBeforeEnd(): () => void {
  // Each call has a listener of its own: the same function twice would be removed with the first.
  const ask = (event: Event): void => event.preventDefault();
  addEventListener('beforeunload', ask);
  return () => removeEventListener('beforeunload', ask);
}

effect(() => (unsaved.value.length === 0 ? undefined : askBeforeEnd()));
