/** Waits for a condition with a timeout. Tests use this instead of sleeping. */
import { setTimeout as pause } from 'node:timers/promises';

/**
 * Calls `check` repeatedly until it returns something other than undefined or false, and returns that value.
 * @throws Error with the text `what` when `ms` milliseconds have passed
 */
export async function waitUntil<T>(
  what: string,
  check: () => Promise<T | undefined | false> | T | undefined | false,
  ms = 180_000,
): Promise<T> {
  const deadline = performance.now() + ms;
  for (;;) {
    const found = await check();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > deadline) throw new Error(`timeout after ${ms} ms, waiting until ${what}`);
    await pause(20);
  }
}
