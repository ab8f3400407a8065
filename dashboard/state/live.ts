/**
 * Tells the screens when the data of the service may have changed. The service sends an event for each change. While it
 * cannot, the screens read their data at intervals. A page that is not visible does neither.
 */
import { signal } from '@preact/signals';
import { api } from './session.ts';

const pollMs = 5_000;
/**
 * Shortest wait between an event and the reading, and between two readings, in milliseconds. The first lets the events
 * of one change arrive together. During a flood of events, the second keeps the session within its limit of requests.
 */
const [gatherMs, pauseMs] = [200, 2_000];

/** Rises whenever screens should read their data again. */
export const changes = signal(0);

/** Makes all open screens read their data again. */
export function noteChange(): void {
  changes.value += 1;
}

/** Starts to follow the service. Returns a function that stops it. */
export function followService(): () => void {
  let stream: AbortController | undefined;
  let isOpen = false;
  let notedAt = Number.NEGATIVE_INFINITY;
  let noting: ReturnType<typeof setTimeout> | undefined;
  const note = (): void => {
    clearTimeout(noting);
    noting = undefined;
    notedAt = performance.now();
    noteChange();
  };
  const noteSoon = (): void => {
    noting ??= setTimeout(note, Math.max(gatherMs, notedAt + pauseMs - performance.now()));
  };
  const listen = async (signal: AbortSignal): Promise<void> => {
    // Changes from before the stream was open sent no event.
    const onState = (state: 'open' | 'waiting'): void => {
      isOpen = state === 'open';
      if (isOpen) noteSoon();
    };
    try {
      for await (const _ of api().events({ signal, onState })) noteSoon();
    } catch {
      // The service refuses the stream, for example because the session has ended. The next reading shows why.
    }
    if (signal.aborted) return;
    isOpen = false;
    noteSoon();
  };
  const connect = (): void => {
    stream?.abort();
    clearTimeout(noting);
    noting = undefined;
    isOpen = false;
    if (document.visibilityState !== 'visible') return;
    stream = new AbortController();
    void listen(stream.signal);
  };
  const look = (): void => {
    connect();
    if (stream?.signal.aborted === false) note();
  };
  const timer = setInterval(() => {
    if (!isOpen && document.visibilityState === 'visible') note();
  }, pollMs);
  document.addEventListener('visibilitychange', look);
  connect();
  return () => {
    stream?.abort();
    clearInterval(timer);
    clearTimeout(noting);
    document.removeEventListener('visibilitychange', look);
  };
}
