/** Reads data again while it is known to change without an event. */
import { useEffect, useMemo } from 'preact/hooks';
import { GrowingWait } from './waits.ts';

/**
 * Reads data again while a change of it is due.
 * @param turn changes with each reading
 */
export function useSoon(isDue: boolean, reload: () => void, turn: unknown): void {
  const wait = useMemo(() => new GrowingWait(), []);
  useEffect(() => {
    if (!isDue) return wait.reset();
    const timer = setTimeout(reload, wait.next());
    return () => clearTimeout(timer);
  }, [isDue, reload, turn]);
}
