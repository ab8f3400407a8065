/** Shows the state of a publication in one or two words. */
import type { JSX } from 'preact';
import type { Publication } from '../../sdk/index.ts';
import { Pill } from './feedback.tsx';

export function PublicationPill({ publication }: { publication: Publication }): JSX.Element {
  const { status, outcomeUnknown, outdated, nextAttemptAt } = publication;
  if (outcomeUnknown) return <Pill tone="warn">not certain</Pill>;
  if (status === 'completed') return outdated ? <Pill tone="warn">outdated</Pill> : <Pill tone="good">published</Pill>;
  if (status === 'failed') return <Pill tone="bad">failed</Pill>;
  return <Pill tone="busy">{nextAttemptAt === null ? 'publishing' : 'tries again'}</Pill>;
}
