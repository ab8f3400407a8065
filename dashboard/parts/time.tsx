/** Shows a time relative to now. The exact time is in the title. */
import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { exactTime, relativeTime } from '../text/dates.ts';

const now = signal(Date.now());
setInterval(() => {
  now.value = Date.now();
}, 20_000);

/** @param isAhead whether the time may be in the future. Without it, a browser whose clock is late shows "just now" */
export function Time({ at, isAhead = false }: { at: string; isAhead?: boolean }): JSX.Element {
  const time = Date.parse(at);
  return (
    <time dateTime={at} title={exactTime(time)}>
      {relativeTime(time, isAhead ? now.value : Math.max(now.value, time))}
    </time>
  );
}
