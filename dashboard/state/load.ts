/** Loads the data of a screen, and loads it again when it may have changed. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type About, changes, turnOf } from './live.ts';
import { isPassing, noteRefusal } from './session.ts';
import { useSoon } from './soon.ts';

/** Data that screens have shown, by resource. A screen that opens again shows it at once and loads it again. */
const remembered = new Map<string, unknown>();
const maxRemembered = 100;

/** Forgets all data, since the next session may see other data. */
export function forgetData(): void {
  remembered.clear();
}

/** Data that is being loaded. */
export interface Loaded<T> {
  data: T | undefined;
  /** Why the last attempt failed. Data of an earlier attempt stays. */
  error: Error | undefined;
  reload: () => void;
}

/**
 * Loads data when the screen opens and whenever one of `keys` changes. Data that could not be loaded because the service
 * did not answer is loaded again until it answers. While a load runs, another one of the same data waits for its end.
 * @param resource name of the kind of data
 * @param keys what the data depends on; a null among them means that it cannot be loaded yet
 * @param about the events after which the data is loaded again; true = all events, false = none
 */
export function useLoad<T>(
  resource: string,
  load: (signal: AbortSignal) => Promise<T>,
  keys: readonly (string | number | boolean | null | undefined)[],
  about: About | boolean = false,
): Loaded<T> {
  const name = JSON.stringify([resource, ...keys]);
  const isPossible = !keys.includes(null) && !keys.includes(undefined);
  const [state, setState] = useState<State<T>>(() => ({
    name,
    data: known<T>(name),
    error: undefined,
  }));
  const [turn, setTurn] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  const isWaiting = state.error !== undefined && isPassing(state.error);
  // A load that failed is tried again with each change, but one that succeeded is not repeated for that.
  const retry = useRef(changes.peek());
  if (isWaiting || about === true) retry.current = changes.value;
  const change = typeof about === 'object' ? turnOf(about) : 0;
  const run = useRef<(() => Promise<void>) | undefined>(undefined);
  useEffect(() => {
    if (!isPossible) return;
    const controller = new AbortController();
    const { signal } = controller;
    let [isRunning, isDue] = [false, false];
    run.current = async () => {
      isDue = true;
      if (isRunning) return;
      isRunning = true;
      while (isDue && !signal.aborted) {
        isDue = false;
        await attempt();
      }
      isRunning = false;
    };
    return () => {
      run.current = undefined;
      controller.abort();
    };

    async function attempt(): Promise<void> {
      try {
        const data = await latest.current(signal);
        if (signal.aborted) return;
        remember(name, data);
        setState({ name, data, error: undefined });
      } catch (error) {
        if (signal.aborted) return;
        noteRefusal(error);
        setState((before) => ({
          name,
          data: before.name === name ? before.data : known<T>(name),
          error: error as Error,
        }));
      }
    }
  }, [name, isPossible]);
  // `turn`, `retry` and `change` ask for the same data again.
  useEffect(() => void run.current?.(), [name, isPossible, turn, retry.current, change]);
  const reload = useCallback(() => setTurn((before) => before + 1), []);
  // On a quiet service, no event asks for another attempt.
  useSoon(isWaiting, reload, state);
  if (state.name !== name) return { data: known<T>(name), error: undefined, reload };
  return { data: state.data, error: state.error, reload };
}

/** Reads all items of a list that has several pages. */
export async function allOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

interface State<T> {
  name: string;
  data: T | undefined;
  error: Error | undefined;
}

function known<T>(name: string): T | undefined {
  return remembered.get(name) as T | undefined;
}

function remember(name: string, data: unknown): void {
  remembered.delete(name);
  remembered.set(name, data);
  for (const oldest of remembered.keys()) {
    if (remembered.size <= maxRemembered) break;
    remembered.delete(oldest);
  }
}
