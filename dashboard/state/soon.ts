/** Reads data again while it is known to change without an event. */
import { useEffect, useRef } from 'preact/hooks';

/** The first wait, and the longest one, in milliseconds. The wait doubles with each reading. */
const [firstMs, maxMs] = [1_000, 30_000];

/**
 * Reads data again while a change of it is due.
 * @param turn changes with each reading
 */
export function useSoon(isDue: boolean, reload: () => void, turn: unknown): void {
  const wait = useRef(firstMs);
  useEffect(() => {
    if (!isDue) {
      wait.current = firstMs;
      return;
    }
    const timer = setTimeout(reload, wait.current);
    wait.current = Math.min(2 * wait.current, maxMs);
    return () => clearTimeout(timer);
  }, [isDue, reload, turn]);
}
