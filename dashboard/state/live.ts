/**
 * Reports to the screens that data of the service may have changed. The service sends an event for each change. While it
 * cannot, the screens read their data at intervals. A page that is not visible does neither.
 */
import { signal } from '@preact/signals';
import type { LiveEvent } from '../../sdk/index.ts';
import { Pace } from './pace.ts';
import { api } from './session.ts';

const pollMs = 5_000;

/** An event of the service. `repository` is the part of `repo.event` that concerns the repository itself, such as its name. */
type Topic = LiveEvent['event'] | 'repository';

/** Names the events after which some data may have changed. */
export interface About {
  events: readonly Topic[];
  /** Leaves out the events of other repositories. */
  repoId?: string;
}

/** Rises whenever any data may have changed. */
export const changes = signal(0);

/** Number of times that all data may have changed. */
let all = 0;
/** Number of times that an event was noted, by its topic, and by its topic and repository. */
const noted = new Map<string, number>();

/** Makes all open screens read their data again. */
export function noteChange(): void {
  all += 1;
  changes.value += 1;
}

/** Returns a number that rises whenever data may have changed. A component that calls this is rendered again then. */
export function turnOf({ events, repoId }: About): number {
  const suffix = repoId === undefined ? '' : ` ${repoId}`;
  // The signal makes the component follow.
  return changes.value && events.reduce((sum, event) => sum + (noted.get(event + suffix) ?? 0), all);
}

function noteEvents(keys: ReadonlySet<string>): void {
  for (const key of keys) noted.set(key, (noted.get(key) ?? 0) + 1);
  changes.value += 1;
}

function keysOf({ event, data }: LiveEvent): string[] {
  if (!('repoId' in data)) return [event];
  // An event without a kind unites several.
  const isOfItself = event === 'repo.event' && (data.event === undefined || data.event === 'repository');
  const topics: Topic[] = isOfItself ? [event, 'repository'] : [event];
  return topics.flatMap((topic) => [topic, `${topic} ${data.repoId}`]);
}

/** Starts to follow the service. Returns a function that stops it. */
export function followService(): () => void {
  let stream: AbortController | undefined;
  let isOpen = false;
  const paceOfAll = new Pace(noteChange);
  /** Each kind of event has a pace of its own, so that a flood of one kind does not delay the others. */
  const paces = new Map<string, Pace>();
  const noteSoon = (received: LiveEvent): void => {
    const { event } = received;
    if (event === 'reset') {
      paceOfAll.note([]);
      return;
    }
    const pace = paces.get(event) ?? new Pace(noteEvents);
    paces.set(event, pace);
    pace.note(keysOf(received));
  };
  const listen = async (signal: AbortSignal): Promise<void> => {
    // Changes from before the stream was open sent no event.
    const onState = (state: 'open' | 'waiting'): void => {
      isOpen = state === 'open';
      if (isOpen) paceOfAll.note([]);
    };
    try {
      for await (const received of api().events({ signal, onState })) noteSoon(received);
    } catch {
      // The service refuses the stream, for example because the session has ended. The next reading shows why.
    }
    if (signal.aborted) return;
    isOpen = false;
    paceOfAll.note([]);
  };
  const stop = (): void => {
    stream?.abort();
    for (const pace of [paceOfAll, ...paces.values()]) pace.stop();
  };
  const connect = (): void => {
    stop();
    isOpen = false;
    if (document.visibilityState !== 'visible') return;
    stream = new AbortController();
    void listen(stream.signal);
  };
  const look = (): void => {
    connect();
    if (stream?.signal.aborted === false) noteChange();
  };
  const timer = setInterval(() => {
    if (!isOpen && document.visibilityState === 'visible') noteChange();
  }, pollMs);
  document.addEventListener('visibilitychange', look);
  connect();
  return () => {
    stop();
    clearInterval(timer);
    document.removeEventListener('visibilitychange', look);
  };
}
