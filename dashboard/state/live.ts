/**
 * Tells the screens when the data of the service may have changed. A screen that is not visible is left alone until it
 * is visible again.
 */
import { signal } from '@preact/signals';

const pollMs = 5_000;

/** Rises whenever screens should read their data again. */
export const changes = signal(0);

/** Makes all open screens read their data again. */
export function noteChange(): void {
  changes.value += 1;
}

/** Starts to follow the service. Returns a function that stops it. */
export function followService(): () => void {
  const look = (): void => {
    if (document.visibilityState === 'visible') noteChange();
  };
  const timer = setInterval(look, pollMs);
  document.addEventListener('visibilitychange', look);
  return () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', look);
  };
}
