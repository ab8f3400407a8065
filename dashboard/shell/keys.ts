/** Handles the keys that work on every screen. Keys that a person types into a field are left alone. */
import { signal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';

export const isJumpOpen = signal(false);
export const isHelpOpen = signal(false);

/** The keys of the list that `?` opens. */
export const shortcuts: readonly { keys: string; does: string }[] = [
  { keys: '/ or Ctrl K', does: 'Jump to a repository or a screen' },
  { keys: 'g i', does: 'Inbox' },
  { keys: 'g r', does: 'Repositories' },
  { keys: 'g p', does: 'Publications' },
  { keys: 'g d', does: 'Deliveries' },
  { keys: 'g t', does: 'Statistics' },
  { keys: 'g s', does: 'Settings' },
  { keys: 'n', does: 'New notes for the open repository' },
  { keys: 'p', does: 'Publish the open draft' },
  { keys: 'Ctrl S', does: 'Save the open draft or settings now' },
  { keys: 'Ctrl B, I, K', does: 'Bold, italic, link in the text of a draft' },
  { keys: '?', does: 'This list' },
];

const places: Readonly<Record<string, string>> = {
  i: '/',
  r: '/app/repositories',
  p: '/app/publications',
  d: '/app/deliveries',
  t: '/app/statistics',
  s: '/app/settings',
};

/** Actions of the open screen, by their key. */
const actions = new Map<string, () => void>();

/** Lets a key start an action while a screen is open. Without an action, the key does nothing. */
export function useShortcut(key: string, action: (() => void) | undefined): void {
  useLayoutEffect(() => {
    if (!action) return;
    actions.set(key, action);
    return () => {
      if (actions.get(key) === action) actions.delete(key);
    };
  }, [key, action]);
}

/** Longest time between the two keys that lead to a place, in milliseconds. */
const placeMs = 1_500;

/** Listens to keys for the whole dashboard. Returns a function that stops it. */
export function listenToKeys(navigate: (path: string) => void): () => void {
  /** When `g` was pressed; undefined if another key came after it. */
  let beganAt: number | undefined;
  const handle = (event: KeyboardEvent): void => {
    const isControlled = event.ctrlKey || event.metaKey;
    const isDialogOpen = document.querySelector('dialog[open]') !== null;
    const awaitsPlace = beganAt !== undefined && event.timeStamp - beganAt < placeMs;
    beganAt = undefined;
    if (isControlled && event.key.toLowerCase() === 'k') {
      event.preventDefault();
      isJumpOpen.value ||= !isDialogOpen;
      return;
    }
    if (isControlled && event.key.toLowerCase() === 's' && actions.has('save')) {
      event.preventDefault();
      if (!isDialogOpen) actions.get('save')?.();
      return;
    }
    if (isControlled || event.altKey || isTyping(event.target) || isDialogOpen) return;
    const place = awaitsPlace ? places[event.key] : undefined;
    if (event.key === 'g' && !awaitsPlace) beganAt = event.timeStamp;
    const action =
      place !== undefined
        ? () => navigate(place)
        : event.key === '/'
          ? () => (isJumpOpen.value = true)
          : event.key === '?'
            ? () => (isHelpOpen.value = true)
            : actions.get(event.key);
    if (!action) return;
    event.preventDefault();
    action();
  };
  document.addEventListener('keydown', handle);
  return () => document.removeEventListener('keydown', handle);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null;
}
