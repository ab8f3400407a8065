/** Shows a time relative to now. The exact time is in the title. */
import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { exactTime, relativeTime } from '../text/dates.ts';

const now = signal(Date.now());
setInterval(() => {
  now.value = Date.now();
}, 20_000);

export function Time({ at }: { at: string }): JSX.Element {
  const time = Date.parse(at);
  return (
    <time dateTime={at} title={exactTime(time)}>
      {relativeTime(time, Math.max(now.value, time))}
    </time>
  );
}
