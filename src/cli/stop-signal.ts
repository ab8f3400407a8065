/** Waits for the signal that stops a program. */

/**
 * Resolves at the first SIGTERM or SIGINT. Later signals are ignored, because the service always stops within a time
 * limit.
 */
export function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => resolve(signal));
  });
}
