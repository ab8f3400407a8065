/** Holds short messages about things that have left the screen. */
import { signal } from '@preact/signals';

export interface Toast {
  id: number;
  text: string;
  link?: { href: string; text: string };
}

const shownMs = 6_000;
let last = 0;

export const toasts = signal<readonly Toast[]>([]);

/** Shows a message for some seconds. */
export function showToast(text: string, link?: Toast['link']): void {
  last += 1;
  const id = last;
  toasts.value = [...toasts.value, { id, text, ...(link && { link }) }].slice(-3);
  setTimeout(() => closeToast(id), shownMs);
}

export function closeToast(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}
