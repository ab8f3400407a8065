/**
 * Waiting for a condition, with a limit: what tests use instead of sleeping.
 */
import { setTimeout as pause } from 'node:timers/promises';

/**
 * Waits until `look` answers something other than undefined or false.
 * @throws when that has not happened within `ms`, naming what was waited for
 */
export async function waitUntil<T>(
  what: string,
  look: () => Promise<T | undefined | false> | T | undefined | false,
  ms = 180_000,
): Promise<T> {
  const deadline = performance.now() + ms;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > deadline) throw new Error(`waited ${ms} ms in vain until ${what}`);
    await pause(20);
  }
}
