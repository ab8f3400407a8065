/** Asks before a person leaves a screen whose changes are not saved. */
import { signal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import type { AroundNavHandler } from 'wouter-preact';

/** The way to another screen that waits for an answer; undefined if no one has to be asked. */
export const leaving = signal<(() => void) | undefined>(undefined);

let isGuarded = false;

/** Makes the dashboard ask before the open screen is left. */
export function useGuard(isDirty: boolean): void {
  useLayoutEffect(() => {
    if (!isDirty) return;
    isGuarded = true;
    const ask = (event: Event): void => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => {
      isGuarded = false;
      leaving.value = undefined;
      removeEventListener('beforeunload', ask);
    };
  }, [isDirty]);
}

/** Leads to another screen, or asks first. A change of the query only is no other screen. */
export const aroundNav: AroundNavHandler = (navigate, to, options) => {
  const go = (): void => navigate(to, options);
  if (isGuarded && new URL(to, location.href).pathname !== location.pathname) leaving.value = go;
  else go();
};
